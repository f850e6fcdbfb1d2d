#include "tasks/language/lm_run.h"

#include <algorithm>
#include <filesystem>
#include <optional>

#include "autograd/finite.h"
#include "data/wav.h"
#include "models/sampler.h"
#include "system/interrupt.h"
#include "system/progress.h"
#include "system/text.h"
#include "tasks/language/bits_per_byte.h"
#include "tasks/language/lm_trainer.h"
#include "tensor/allocator.h"
#include "train/checkpoint_files.h"
#include "train/run_folder.h"

namespace heed {
namespace {

constexpr const char* kTrainBpc = "train_bpc";  // a number of a checkpoint: the running mean goes on
constexpr const char* kSeconds = "seconds";     // of the metrics: of training, also before a stop

using Clock = std::chrono::steady_clock;
double seconds_since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

std::string megabytes(size_t bytes) { return format("%.0f MB", double(bytes) / 1e6); }

class Run {
 public:
  Run(const LmSettings& settings, const ByteData& data, const LmRunOptions& options)
      : o_(options),
        data_(data),
        folder_(options.run),
        files_(options.run, int(settings.keep)),
        trainer_(settings, data.train) {
    data.check_context(settings.context);
  }

  LmResult operator()() {
    begin();
    if (done()) {
      tell_done();
      show();
    } else {
      tell_needs();
      train();
    }
    result_.step = trainer_.step();
    result_.peak_bytes = memory_stats().peak;
    result_.tokens_per_s = trained_seconds_ > 0 ? double(trained_tokens_) / trained_seconds_ : 0;
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
  void show() const { write_page(folder_, o_.page); }
  std::string option(const char* name) const { return o_.option_name(name); }

  bool done() const { return trainer_.step() >= trainer_.last_step(); }

  // From the newest checkpoint, or from step 0 in a folder where no run is.
  void begin() {
    if (std::error_code none; !std::filesystem::create_directories(folder_.path(), none) && none) files_.prepare();
    lock_.emplace(folder_);
    files_.prepare();
    if (o_.resume) {
      if (const auto found = files_.newest([&](const std::string& text) { say(text); })) {
        take_up(*found);
        return;
      }
      say("there is no checkpoint in " + files_.folder() + ": starting from step 0");
    } else {
      check_unused();
    }
    folder_.write_config(to_json(trainer_.settings()));
    folder_.forget_after(0);
  }

  void check_unused() const {
    const auto list = files_.list();
    HEED_CHECK(list.empty(), "train", folder_.path(), " holds a run already, at step ", list.back().step,
               "; go on with ", option("resume"), ", or choose another folder with ", option("run"));
    HEED_CHECK(folder_.metrics().empty(), "train", folder_.path(),
               " holds the metrics of a run without a checkpoint; start it again with ", option("resume"),
               ", or choose another folder with ", option("run"));
    if (folder_.exists()) settings_from_json(folder_.config(), folder_.file("config.json"));  // throws: a foreign one
  }

  void take_up(const TrainingState& found) {
    HEED_CHECK(found.step <= trainer_.last_step(), "train", folder_.path(), " is at step ", found.step,
               " already, and ", trainer_.last_step(), " were asked for; give ", option("steps"), " ", found.step,
               " or more");
    const std::vector<std::string> changes = differences(settings_of(found), trainer_.settings());
    restore(found, changes);
    say("going on from " + files_.path(found.step));
    for (const std::string& change : changes) say("  changed: " + change);
    if (!found.data.empty() && found.data != fingerprint_)
      say("  changed: the data has other bytes than before: the run goes on, but not to the same bits");
    folder_.write_config(to_json(trainer_.settings()));
    folder_.forget_after(found.step);
    saved_step_ = found.step;
    const auto train_bpc = found.numbers.find(kTrainBpc);
    result_.train_bpc = train_bpc == found.numbers.end() ? 0 : train_bpc->second;
    result_.valid_bpc = folder_.last(kValidBpc).value_or(NAN);
    seconds_ = folder_.last(kSeconds).value_or(0);
  }

  // What the run had. Where its data lies only its config says.
  LmSettings settings_of(const TrainingState& found) const {
    const std::string path = files_.path(found.step);
    LmSettings s = settings_from_json(Json::parse(found.settings, path), path);
    s.data = folder_.exists() ? settings_from_json(folder_.config(), folder_.file("config.json")).data
                              : trainer_.settings().data;
    return s;
  }

  // What does not fit is mostly an option that was typed.
  void restore(const TrainingState& found, const std::vector<std::string>& changes) {
    try {
      trainer_.restore(found, files_.path(found.step));
    } catch (const OutOfMemory&) {
      throw;
    } catch (const Error& error) {
      if (changes.empty()) throw;
      fail("train", folder_.path(), " cannot go on with other settings than it began with: ", joined(changes, ", "),
           ". Leave these options away, or choose another folder with ", option("run"), " (", error.what(), ")");
    }
  }

  void tell_done() const {
    const bool own_steps = trainer_.settings().steps != trainer_.last_step();  // the schedule's phases say them
    say("all " + std::to_string(trainer_.last_step()) + " steps are done already; " +
        (own_steps ? "a " + option("schedule") + " with more of them goes on"
                   : option("steps") + " N goes on to more"));
  }

  void tell_needs() {
    say(format("%.2f million parameters, ", double(trainer_.model().parameter_count()) / 1e6) +
        std::to_string(trainer_.last_step()) + " steps of " + std::to_string(trainer_.settings().batch) + " x " +
        std::to_string(trainer_.settings().context) + " bytes");
    const LmNeeds rest = needs_of_rest(trainer_);
    say("needs about " + megabytes(rest.bytes) + " and " + duration_text(rest.seconds));
    reset_peak();
  }

  long every() const {
    const long wanted = trainer_.settings().checkpoint_every;
    return wanted ? wanted : std::clamp(trainer_.last_step() / 10, 1L, 1000L);
  }

  void train() {
    interrupt_.hold();
    std::unique_ptr<Progress> progress;
    if (!o_.quiet) progress = std::make_unique<Progress>("step", trainer_.last_step());
    while (!done() && !interrupt_.wanted()) {
      one_step(progress.get());
      if (done() || trainer_.step() % every() == 0) evaluate_and_save();
    }
    if (done()) {
      if (progress) progress->finish(text());
      return;
    }
    result_.stopped = true;
    progress.reset();
    trainer_.check_weights();
    if (saved_step_ != trainer_.step()) save();
    show();
    say("stopped at step " + std::to_string(trainer_.step()) + "; saved " + files_.path(saved_step_));
  }

  void one_step(Progress* progress) {
    const auto begin = Clock::now();
    last_ = trainer_.advance(o_.check_finite);
    const double took = seconds_since(begin);
    seconds_ += took;
    trained_seconds_ += took;
    trained_tokens_ += last_.tokens;
    speed_ = double(last_.tokens) / took;
    const double share = std::max(0.02, 1.0 / double(trainer_.step()));  // of this step in the running mean
    result_.train_bpc =
        trainer_.step() == 1 ? last_.bpc() : result_.train_bpc + share * (last_.bpc() - result_.train_bpc);
    log(Json::Object{{"step", trainer_.step()},
                     {"bpc", last_.bpc()},
                     {"rate", last_.rate},
                     {"gradient_norm", last_.gradient_norm},
                     {"tokens_per_s", std::round(speed_)},
                     {kSeconds, seconds_}});
    if (progress) progress->show(trainer_.step(), text());
  }

  std::string text() const {
    return format("loss %.3f   bpc %.3f   ", result_.train_bpc * std::log(2.0), result_.train_bpc) +
           (std::isfinite(result_.valid_bpc) ? format("valid %.3f   ", result_.valid_bpc) : "") +
           format("%.0f tok/s   ", speed_) + megabytes(memory_stats().reserved);
  }

  double validation() {
    const LmSettings& s = trainer_.settings();
    const ByteSplit part = data_.valid.first(s.valid_bytes);
    return bits_per_byte(trainer_.model(), part, {.batch = s.batch}).bpc;
  }

  // It is computed again, looking at the result of every op.
  void explain_validation() {
    std::string where = "every op made finite numbers, and their sum is too large";
    try {
      const CheckFinite checking;
      validation();
    } catch (const NotFinite& found) {
      where = found.what();
    }
    fail<NotFinite>("train", "the validation of step ", trainer_.step(), " is not finite: ", where,
                    ". These weights are not saved; go on from the last checkpoint with a lower rate");
  }

  void evaluate_and_save() {
    trainer_.check_weights();
    const LmSettings& s = trainer_.settings();
    result_.valid_bpc = validation();
    if (!std::isfinite(result_.valid_bpc)) explain_validation();
    log(Json::Object{{"step", trainer_.step()}, {kValidBpc, result_.valid_bpc}, {kSeconds, seconds_}});
    valid_step_ = trainer_.step();
    if (s.sample_bytes && s.context >= 2) write_sample();
    save();  // last: whoever goes on from it finds all that belongs to it
    show();
  }

  void write_sample() {
    const LmSettings& s = trainer_.settings();
    const std::string text =
        sampled_text(trainer_.model(), usual_prompt(s), {.length = s.sample_bytes, .temperature = 0.8});
    s.sample_rate ? write_wav(folder_.sound_path(trainer_.step()), text, s.sample_rate)
                  : folder_.write_sample(trainer_.step(), text);
  }

  void save() {
    TrainingState state = trainer_.state();
    state.data = fingerprint_;
    state.numbers = {{kTrainBpc, result_.train_bpc}};
    if (valid_step_ == trainer_.step()) state.numbers[kValidBpc] = result_.valid_bpc;
    files_.save(state);
    saved_step_ = state.step;
  }

  LmRunOptions o_;
  const ByteData& data_;
  RunFolder folder_;
  CheckpointFiles files_;
  std::optional<RunLock> lock_;
  Interrupt interrupt_;
  LmTrainer trainer_;
  LmResult result_;
  LmStep last_;
  const std::string fingerprint_ = data_.fingerprint();
  double seconds_ = 0;  // of training, also before a stop
  double trained_seconds_ = 0, speed_ = 0;
  long trained_tokens_ = 0;
  long valid_step_ = -1, saved_step_ = -1;  // of valid_bpc; of the newest checkpoint
};

}  // namespace

LmResult train_run(const LmSettings& settings, const ByteData& data, const LmRunOptions& options) {
  return Run(settings, data, options)();
}

}  // namespace heed
