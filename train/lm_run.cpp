#include "train/lm_run.h"

#include <algorithm>
#include <filesystem>

#include "autograd/finite.h"
#include "tensor/allocator.h"
#include "tensor/text.h"
#include "train/interrupt.h"
#include "train/progress.h"
#include "train/run_page.h"
#include "train/sampler.h"

namespace heed {
namespace {

constexpr const char* kTrainBpc = "train_bpc";  // numbers of a checkpoint
constexpr const char* kSeconds = "train_seconds";

using Clock = std::chrono::steady_clock;
double seconds_since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

std::string megabytes(size_t bytes) { return format("%.0f MB", double(bytes) / 1e6); }

class Run {
 public:
  Run(const LmSettings& settings, const ByteData& data, const LmRunOptions& options)
      : o_(options),
        data_(data),
        folder_(options.run),
        files_(options.run, options.keep),
        trainer_(settings, data.train) {
    data.check_context(settings.context);
  }

  LmResult operator()() {
    begin();
    tell_needs();
    train();
    return result_;
  }

 private:
  void say(const std::string& text) const {
    if (o_.say) o_.say(text);
  }
  void log(const Json& line) const {
    folder_.log(line);
    if (o_.metrics) o_.metrics(line);
  }

  // From the newest checkpoint, or from step 0 in a folder where no run is.
  void begin() {
    files_.prepare();
    if (o_.resume) {
      if (const auto found = files_.newest([&](const std::string& text) { say(text); })) {
        take_up(*found);
        return;
      }
      say("there is no checkpoint in " + files_.folder() + ": starting from step 0");
    } else {
      const auto list = files_.list();
      HEED_CHECK(list.empty(), "train", folder_.path(), " holds a run already, at step ", list.back().step,
                 "; go on with --resume, or choose another folder with --run");
    }
    folder_.write_config(to_json(trainer_.settings()));
    folder_.forget_after(0);
  }

  void take_up(const TrainingState& found) {
    const LmSettings before =
        settings_from_json(Json::parse(found.settings, "the checkpoint"), files_.path(found.step));
    trainer_.restore(found, files_.path(found.step));
    const auto number = [&](const char* name) { return found.numbers.contains(name) ? found.numbers.at(name) : 0.0; };
    result_.train_bpc = number(kTrainBpc), result_.valid_bpc = number(kValidationBpc), seconds_ = number(kSeconds);
    say("going on from " + files_.path(found.step));
    for (const std::string& change : differences(before, trainer_.settings())) say("  changed: " + change);
    folder_.write_config(to_json(trainer_.settings()));
    folder_.forget_after(found.step);
  }

  void tell_needs() {
    const long left = trainer_.last_step() - trainer_.step();
    say(format("%.2f million parameters, ", double(trainer_.model().parameter_count()) / 1e6) +
        std::to_string(trainer_.last_step()) + " steps of " + std::to_string(trainer_.settings().batch) + " x " +
        std::to_string(trainer_.settings().context) + " bytes");
    if (left <= 0) return;
    trainer_.try_step();  // the first one also fills the allocator
    const LmNeeds needs = trainer_.try_step();
    say("needs about " + megabytes(needs.bytes) + " and " + duration_text(needs.seconds * double(left)));
    reset_peak();
  }

  long every() const {
    return o_.checkpoint_every ? o_.checkpoint_every : std::clamp(trainer_.last_step() / 10, 1L, 1000L);
  }

  void train() {
    const Interrupt interrupt;
    std::unique_ptr<Progress> progress;
    if (!o_.quiet) progress = std::make_unique<Progress>("step", trainer_.last_step());
    while (trainer_.step() < trainer_.last_step() && !interrupt.wanted()) {
      one_step(progress.get());
      const bool last = trainer_.step() == trainer_.last_step();
      if (last || trainer_.step() % every() == 0) evaluate_and_save();
    }
    result_.step = trainer_.step(), result_.peak_bytes = memory_stats().peak;
    result_.tokens_per_s = trained_seconds_ > 0 ? double(trained_tokens_) / trained_seconds_ : 0;
    if (trainer_.step() == trainer_.last_step()) {
      if (progress) progress->finish(text());
      return;
    }
    result_.stopped = true;
    progress.reset();
    say("stopped at step " + std::to_string(trainer_.step()) + "; saved " + save());
  }

  void one_step(Progress* progress) {
    const auto begin = Clock::now();
    last_ = trainer_.advance(o_.check_finite);
    const double took = seconds_since(begin);
    seconds_ += took, trained_seconds_ += took, trained_tokens_ += last_.tokens;
    const double bpc = last_.bpc();
    result_.train_bpc = trainer_.step() == 1 ? bpc
                                             : result_.train_bpc + std::max(0.02, 1.0 / double(trainer_.step())) *
                                                                       (bpc - result_.train_bpc);
    speed_ = double(last_.tokens) / took;
    Json line = Json::object();
    line["step"] = trainer_.step(), line["bpc"] = bpc, line["rate"] = last_.rate;
    line["gradient_norm"] = last_.gradient_norm, line["tokens_per_s"] = std::round(speed_), line["seconds"] = seconds_;
    log(line);
    if (progress) progress->show(trainer_.step(), text());
  }

  std::string text() const {
    return format("loss %.3f   bpc %.3f   ", last_.loss, result_.train_bpc) +
           (result_.valid_bpc > 0 ? format("valid %.3f   ", result_.valid_bpc) : "") +
           format("%.0f tokens/s   ", speed_) + megabytes(memory_stats().reserved);
  }

  void evaluate_and_save() {
    const LmSettings& s = trainer_.settings();
    result_.valid_bpc =
        bits_per_byte(trainer_.model(), data_.valid.first(o_.valid_bytes), {.batch = s.batch, .context = s.context})
            .bpc;
    Json line = Json::object();
    line["step"] = trainer_.step(), line["valid_bpc"] = result_.valid_bpc, line["seconds"] = seconds_;
    log(line);
    valid_step_ = trainer_.step();
    save();
    if (o_.sample_bytes && s.context >= 2)
      folder_.write_sample(trainer_.step(), sampled_text(trainer_.model(), s.context, "\n",
                                                         {.length = o_.sample_bytes, .temperature = 0.8}));
    write_page(folder_);
  }

  std::string save() {
    TrainingState state = trainer_.state();
    state.numbers = {{kTrainBpc, result_.train_bpc}, {kSeconds, seconds_}};
    if (valid_step_ == trainer_.step()) state.numbers[kValidationBpc] = result_.valid_bpc;
    return files_.save(state);
  }

  LmRunOptions o_;
  const ByteData& data_;
  RunFolder folder_;
  CheckpointFiles files_;
  LmTrainer trainer_;
  LmResult result_;
  LmStep last_;
  double seconds_ = 0;  // of training, also before a stop
  double trained_seconds_ = 0, speed_ = 0;
  long trained_tokens_ = 0, valid_step_ = -1;  // valid_step: of valid_bpc
};

}  // namespace

LmResult train_run(const LmSettings& settings, const ByteData& data, const LmRunOptions& options) {
  return Run(settings, data, options)();
}

LoadedModel load_run(const std::string& run_or_file, bool best) {
  std::string path = run_or_file;
  std::error_code none;
  if (std::filesystem::is_directory(path, none)) {
    const CheckpointFiles files(path);
    const auto list = files.list();
    HEED_CHECK(!list.empty(), "load", "there is no checkpoint in ", files.folder(), "; `charlm train --run ", path,
               "` makes one");
    path = best && files.best() ? files.best()->path : list.back().path;
  }
  const TrainingState state = read_checkpoint(path);
  LoadedModel loaded{settings_from_json(Json::parse(state.settings, path), path), state.step, path, state.numbers, {}};
  loaded.model = std::make_unique<Gpt>(model_options(loaded.settings));
  load_model(*loaded.model, state.weights, path);
  return loaded;
}

}  // namespace heed
