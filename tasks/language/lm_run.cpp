#include "tasks/language/lm_run.h"

#include <algorithm>
#include <filesystem>
#include <optional>

#include "autograd/finite.h"
#include "models/sampler.h"
#include "system/interrupt.h"
#include "system/progress.h"
#include "system/text.h"
#include "tensor/allocator.h"
#include "train/run_page.h"

namespace heed {
namespace {

constexpr const char* kTrainBpc = "train_bpc";  // numbers of a checkpoint
constexpr const char* kSeconds = "train_seconds";
constexpr const char* kDataBytes = "data_bytes";
constexpr const char* kDataChecksum = "data_checksum";
constexpr const char* kLastValidBpc = "last_validation_bpc";  // which may be of an earlier step

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
      const bool own_steps = trainer_.settings().steps != trainer_.last_step();  // the schedule's phases say them
      say("all " + std::to_string(trainer_.last_step()) + " steps are done already; " +
          (own_steps ? "a --schedule with more of them goes on" : "--steps N goes on to more"));
      write_page(folder_);
    } else {
      tell_needs();
      train();
    }
    result_.step = trainer_.step(), result_.peak_bytes = memory_stats().peak;
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
               "; go on with --resume, or choose another folder with --run");
    HEED_CHECK(
        folder_.metrics().empty(), "train", folder_.path(),
        " holds the metrics of a run without a checkpoint; start it again with --resume, or choose another folder "
        "with --run");
    if (folder_.exists()) settings_from_json(folder_.config(), folder_.file("config.json"));  // throws: a foreign one
  }

  void take_up(const TrainingState& found) {
    HEED_CHECK(found.step <= trainer_.last_step(), "train", folder_.path(), " is at step ", found.step,
               " already, and ", trainer_.last_step(), " were asked for; give --steps ", found.step, " or more");
    const LmSettings before =
        settings_from_json(Json::parse(found.settings, "the checkpoint"), files_.path(found.step));
    const std::vector<std::string> changes = differences(before, trainer_.settings());
    restore(found, changes);
    const auto number = [&](const char* name, double other) {
      const auto it = found.numbers.find(name);
      return it == found.numbers.end() ? other : it->second;
    };
    result_.train_bpc = number(kTrainBpc, 0), result_.valid_bpc = number(kLastValidBpc, NAN);
    seconds_ = number(kSeconds, 0), saved_step_ = found.step;
    const bool same = number(kDataBytes, 0) == double(data_.size) && number(kDataChecksum, 0) == checksum_;
    say("going on from " + files_.path(found.step));
    for (const std::string& change : changes) say("  changed: " + change);
    if (!same) say("  changed: the data has other bytes than before: the run goes on, but not to the same bits");
    folder_.write_config(to_json(trainer_.settings()));
    folder_.forget_after(found.step);
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
           ". Leave these options away, or choose another folder with --run (", error.what(), ")");
    }
  }

  void tell_needs() {
    say(format("%.2f million parameters, ", double(trainer_.model().parameter_count()) / 1e6) +
        std::to_string(trainer_.last_step()) + " steps of " + std::to_string(trainer_.settings().batch) + " x " +
        std::to_string(trainer_.settings().context) + " bytes");
    trainer_.try_step(trainer_.step() + 1);  // the first one also fills the allocator
    LmNeeds all;
    long end = 0;
    for (const Phase& phase : trainer_.schedule().phases()) {
      end += phase.steps;
      const long left = end - std::max(trainer_.step(), end - phase.steps);
      if (left <= 0) continue;
      const LmNeeds one = trainer_.try_step(end);
      all.bytes = std::max(all.bytes, one.bytes), all.seconds += one.seconds * double(left);
    }
    say("needs about " + megabytes(all.bytes) + " and " + duration_text(all.seconds));
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
    write_page(folder_);
    say("stopped at step " + std::to_string(trainer_.step()) + "; saved " + files_.path(saved_step_));
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
    return format("loss %.3f   bpc %.3f   ", result_.train_bpc * std::log(2.0), result_.train_bpc) +
           (std::isfinite(result_.valid_bpc) ? format("valid %.3f   ", result_.valid_bpc) : "") +
           format("%.0f tok/s   ", speed_) + megabytes(memory_stats().reserved);
  }

  double validation() {
    const LmSettings& s = trainer_.settings();
    const ByteSplit part = data_.valid.first(s.valid_bytes);
    return bits_per_byte(trainer_.model(), part, {.batch = s.batch, .context = s.context}).bpc;
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
                    ". These weights are not saved; go on from the last checkpoint with a lower rate (--lr)");
  }

  void evaluate_and_save() {
    trainer_.check_weights();
    const LmSettings& s = trainer_.settings();
    result_.valid_bpc = validation();
    if (!std::isfinite(result_.valid_bpc)) explain_validation();
    Json line = Json::object();
    line["step"] = trainer_.step(), line["valid_bpc"] = result_.valid_bpc, line["seconds"] = seconds_;
    log(line);
    valid_step_ = trainer_.step();
    if (s.sample_bytes && s.context >= 2) write_sample();
    save();  // last: whoever goes on from it finds all that belongs to it
    write_page(folder_);
  }

  // A sound begins with silence, a text with a new line.
  void write_sample() {
    const LmSettings& s = trainer_.settings();
    const std::string prompt = s.sample_rate ? std::string(16, char(128)) : "\n";
    const std::string text =
        sampled_text(trainer_.model(), s.context, prompt, {.length = s.sample_bytes, .temperature = 0.8});
    s.sample_rate ? folder_.write_sound(trainer_.step(), text, s.sample_rate)
                  : folder_.write_sample(trainer_.step(), text);
  }

  void save() {
    TrainingState state = trainer_.state();
    state.numbers = {{kTrainBpc, result_.train_bpc},
                     {kSeconds, seconds_},
                     {kDataBytes, double(data_.size)},
                     {kDataChecksum, checksum_}};
    if (std::isfinite(result_.valid_bpc)) state.numbers[kLastValidBpc] = result_.valid_bpc;
    if (valid_step_ == trainer_.step()) state.numbers[kValidationBpc] = result_.valid_bpc;
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
  const double checksum_ = data_.checksum();
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
