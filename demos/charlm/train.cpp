#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <optional>

#include "demos/charlm/charlm.h"
#include "system/error.h"
#include "system/interrupt.h"
#include "system/parallel.h"
#include "system/progress.h"
#include "system/text.h"
#include "tensor/machine.h"

using namespace heed;

namespace {

// The options that are settings. What the user types wins over the preset, or, in a run that is resumed, over what the
// run has.
class SettingOptions {
 public:
  explicit SettingOptions(CommandLine& line) : line_(line) {
    typed_.data = "self";
    line_.option("--preset", typed_.preset,
                 "sizes, steps and rate to start from (what is in brackets below is small's)",
                 {"tiny", "small", "base"});
    add("--data", &LmSettings::data,
        "what to learn: a file, a folder, a WAV file, or self: heed's own source and docs");
    add("--attention", &LmSettings::attention, "the variant; build/attention list shows them");
    add("--ordering", &LmSettings::ordering, "sublayers, s: attention, f: feed-forward; sfsf.. if nothing is said");
    add("--layers", &LmSettings::layers, "layers of one s and one f", 1L, 1000L);
    add("--width", &LmSettings::width, "channels", 1L, 65536L);
    add("--heads", &LmSettings::heads, "attention heads; they divide the width", 1L, 1024L);
    add("--context", &LmSettings::context, "bytes that the model sees at once", 2L, 1L << 24);
    add("--positions", &LmSettings::positions,
        "rotary, learned, sinusoid or none; learned for an attention that takes no rotary ones");
    add("--dropout", &LmSettings::dropout, "of every branch and of the attention weights", 0.0, 0.95);
    add("--batch", &LmSettings::batch, "windows of text in a step", 1L, 65536L);
    add("--micro-batch", &LmSettings::micro_batch, "windows at a time, to need less memory; 0: all", 0L, 65536L);
    add("--steps", &LmSettings::steps, "training steps", 1L, 1000000000L);
    add("--lr", &LmSettings::rate, "the highest learning rate", 1e-9, 10.0);
    add("--schedule", &LmSettings::schedule,
        "cosine, linear, constant or inverse_sqrt, with :warmup=N,floor=X; or phases, such as "
        "steps=1000,context=128,warmup=100;cosine:steps=500,context=256 (constant and without warm-up if nothing is "
        "said)");
    add("--optimiser", &LmSettings::optimiser, "adamw, adam, sgd or adagrad");
    add("--weight-decay", &LmSettings::weight_decay,
        "of matrices; if nothing is said, 0 for other optimisers than adamw", 0.0, 10.0);
    add("--clip", &LmSettings::clip, "the largest norm of the gradients; 0: any", 0.0, 1e9);
    add("--dtype", &LmSettings::dtype, "f32, or bf16: products of rounded numbers");
    add("--feed-forward-chunks", &LmSettings::feed_forward_chunks, "to need less memory", 1L, 65536L);
    add("--seed", &LmSettings::seed, "another seed, other weights and another order of the data", 0L, 4294967295L);
    add("--checkpoint-every", &LmSettings::checkpoint_every, "steps; 0: a tenth of the run, at most 1000", 0L);
    add("--keep", &LmSettings::keep, "checkpoints to keep, besides the best", 1L, 1000000L);
    add("--valid-bytes", &LmSettings::valid_bytes, "bytes of the validation data to look at with every checkpoint", 2L);
    add("--sample-bytes", &LmSettings::sample_bytes, "bytes to write with every checkpoint; 0: none", 0L, 1000000L);
    flag("--recompute-blocks", &LmSettings::recompute_blocks, "compute blocks again in backward: less memory, slower");
    flag("--reversible", &LmSettings::reversible, "a reversible stack: memory does not grow with the layers");
  }

  // After parsing.
  LmSettings settings(const std::string& run, bool resume) const {
    const RunFolder folder(run);
    const auto before = resume ? of_run(folder) : std::nullopt;
    const bool known = before.has_value();
    LmSettings s = known ? *before : preset(typed_.preset);
    HEED_CHECK(!known || !line_.given("--preset") || s.preset == typed_.preset, "train", run, " began with the preset ",
               s.preset, ", and --preset ", typed_.preset, " was given; leave it away, or choose another folder");
    if (s.data.empty()) s.data = typed_.data;
    for (const auto& take : take_) take(s);
    check_contradictions(s);
    if (line_.given("--ordering")) s.layers = std::max(1L, long(std::count(s.ordering.begin(), s.ordering.end(), 's')));
    if (!known && !line_.given("--positions")) s.positions = usual_positions(s);
    if (!known && s.optimiser != "adamw" && !line_.given("--weight-decay")) s.weight_decay = 0;
    return s;
  }

 private:
  // What is typed and would do nothing, because something else that is said decides.
  void check_contradictions(const LmSettings& s) const {
    const long own = schedule_of(s).steps();
    HEED_CHECK(!line_.given("--steps") || own == s.steps, "train", "the schedule '", s.schedule,
               "' says its steps by itself (", own, "); leave --steps away, or the steps in the schedule");
    HEED_CHECK(!line_.given("--lr") || s.schedule.find("rate=") == std::string::npos, "train", "the schedule '",
               s.schedule, "' says its rate by itself; leave --lr away, or the rate in the schedule");
    HEED_CHECK(!line_.given("--layers") || s.ordering.empty(), "train", "the ordering '", s.ordering,
               "' says its layers by itself; leave --layers or --ordering away");
  }

  // What the run has: in its config, or if that is gone in its newest checkpoint; nothing if there is no run.
  static std::optional<LmSettings> of_run(const RunFolder& folder) {
    if (folder.exists()) return settings_from_json(folder.config(), folder.file("config.json"));
    const auto list = CheckpointFiles(folder.path()).list();
    if (list.empty()) return std::nullopt;
    return settings_from_json(Json::parse(read_checkpoint_summary(list.back().path).settings, list.back().path),
                              list.back().path);
  }

  template <class Value, class... Limits>
  void add(const char* name, Value LmSettings::*member, const char* help, Limits... limits) {
    line_.option(name, typed_.*member, help, limits...);
    taken(name, member);
  }
  void flag(const char* name, bool LmSettings::*member, const char* help) {
    line_.flag(name, typed_.*member, help);
    taken(name, member);
  }
  template <class Value> void taken(const char* name, Value LmSettings::*member) {
    take_.push_back([this, name, member](LmSettings& s) {
      if (line_.given(name)) s.*member = typed_.*member;
    });
  }

  CommandLine& line_;
  LmSettings typed_ = preset("small");
  std::vector<std::function<void(LmSettings&)>> take_;
};

void print_json(const Json& line) {
  std::printf("%s\n", line.dump().c_str());
  std::fflush(stdout);
}

void print_line(const std::string& text) {
  std::printf("%s\n", text.c_str());
  std::fflush(stdout);  // progress goes to stderr: keep the order
}

void print_final(const LmResult& r, bool json) {
  if (!json)
    return print_line(format("final step=%ld train_bpc=%.4f val_bpc=%.4f tokens_per_s=%.0f peak_bytes=%zu", r.step,
                             r.train_bpc, r.valid_bpc, r.tokens_per_s, r.peak_bytes));
  Json line = Json::object();
  line["event"] = "final", line["step"] = r.step, line["train_bpc"] = r.train_bpc, line["val_bpc"] = r.valid_bpc;
  line["tokens_per_s"] = r.tokens_per_s, line["peak_bytes"] = long(r.peak_bytes), line["stopped"] = r.stopped;
  print_json(line);
}

struct Extras {
  LmRunOptions run;
  std::string device = "cpu";
  int threads = heed::threads();
  bool json = false;
  double minutes = 0;

  void add_options(CommandLine& line) {
    line.option("--minutes", minutes,
                "train for about so long (validation comes on top); 0: for as many steps as --steps says", 0.0, 1e6);
    line.option("--run", run.run, "the folder for all that the run writes");
    line.flag("--resume", run.resume, "go on from the newest checkpoint of the run, to the same bits");
    line.flag("--check-finite", run.check_finite, "look at the result of every op for NaN and infinity; slower");
    line.option("--device", device, "where to compute", {"cpu"});
    line.option("--threads", threads, "threads; the result has the same bits for any number", 1, 64);
    line.flag("--json", json, "a JSON object per line, for programs, in place of text");
  }
};

// --minutes, as steps.
long steps_for(const Extras& extras, const LmSettings& s, const ByteData& data) {
  HEED_CHECK(
      CheckpointFiles(extras.run.run).list().empty(), "train", extras.run.run,
      " has its number of steps; --minutes is for a new run. Go on with --resume and without it, or to more with "
      "--steps N, or choose another folder with --run");
  HEED_CHECK(schedule_of(s).steps() == s.steps, "train", "the schedule '", s.schedule, "' says its steps by itself (",
             schedule_of(s).steps(), "); leave --minutes away, or the steps in the schedule");
  data.check_context(s.context);
  extras.run.say("trying some steps, to see how many fit into " + duration_text(60 * extras.minutes) + " ...");
  return steps_within(60 * extras.minutes, s, data.train);
}

// A run inside of the folder that it learns would learn its own pages when it is resumed.
void check_apart(const std::string& data, const std::string& run) {
  namespace fs = std::filesystem;
  std::error_code none;
  if (data == "self" || !fs::is_directory(data, none)) return;
  const fs::path inner = fs::weakly_canonical(run, none).lexically_relative(fs::weakly_canonical(data, none));
  HEED_CHECK(inner.empty() || *inner.begin() == "..", "train", "the run folder ", run, " lies in the data, ", data,
             ": it would learn what it writes. Choose a folder outside with --run");
}

}  // namespace

int train_command(int argc, char** argv) {
  Extras extras;
  CommandLine line("charlm train", "Trains a character language model and writes all of it into a run folder.");
  const SettingOptions options(line);
  extras.add_options(line);
  if (!line.parse(argc, argv)) return line.exit_code();
  set_threads(extras.threads);
  if (!extras.json) print_line(machine_description());
  LmSettings settings = options.settings(extras.run.run, extras.run.resume);
  const ByteData data = open_data(settings.data);
  settings.sample_rate = data.sample_rate;
  check_apart(settings.data, extras.run.run);
  extras.run.say = [&](const std::string& text) {
    extras.json ? void(std::fprintf(stderr, "%s\n", text.c_str())) : print_line(text);
  };
  extras.run.quiet = extras.json;
  if (extras.json) extras.run.metrics = print_json;
  extras.run.say(settings.data + ": " + data.summary() +
                 format("; knowing only frequencies: %.2f bits per byte", data.valid.entropy()));
  if (extras.minutes > 0) {
    HEED_CHECK(!line.given("--steps"), "train", "both --steps and --minutes were given; give one of them");
    settings.steps = steps_for(extras, settings, data);
  }
  const LmResult result = train_run(settings, data, extras.run);
  if (result.stopped)
    extras.run.say("go on with: build/charlm train --resume --run " + extras.run.run);
  else
    extras.run.say("the page is " + extras.run.run + "/index.html");
  print_final(result, extras.json);
  return result.stopped ? kInterrupted : 0;
}
