#include "train/lm_run.h"

#include <algorithm>
#include <optional>

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
        files_(options.run, options.keep),
        trainer_(settings, data.train) {
    data.check_context(settings.context);
  }

  LmResult operator()() {
    begin();
    if (done()) {
      say("all " + std::to_string(trainer_.last_step()) + " steps are done already; --steps N goes on to more");
      result_.step = trainer_.step(), result_.peak_bytes = memory_stats().peak;
      return result_;
    }
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

  bool done() const { return trainer_.step() >= trainer_.last_step(); }

  // From the newest checkpoint, or from step 0 in a folder where no run is.
  void begin() {
    files_.prepare();
    lock_.emplace(folder_);
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
    const std::vector<std::string> changes = differences(before, trainer_.settings());
    restore(found, changes);
    const auto number = [&](const char* name, double other) {
      const auto it = found.numbers.find(name);
      return it == found.numbers.end() ? other : it->second;
    };
    result_.train_bpc = number(kTrainBpc, 0), result_.valid_bpc = number(kLastValidBpc, NAN);
    seconds_ = number(kSeconds, 0), saved_step_ = found.step;
    say("going on from " + files_.path(found.step));
    for (const std::string& change : changes) say("  changed: " + change);
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
      std::string list;
      for (const std::string& change : changes) list += (list.empty() ? "" : ", ") + change;
      fail("train", folder_.path(), " cannot go on with other settings than it began with: ", list,
           ". Leave these options away, or choose another folder with --run (", error.what(), ")");
    }
  }

  void tell_needs() {
    const long left = trainer_.last_step() - trainer_.step();
    say(format("%.2f million parameters, ", double(trainer_.model().parameter_count()) / 1e6) +
        std::to_string(trainer_.last_step()) + " steps of " + std::to_string(trainer_.settings().batch) + " x " +
        std::to_string(trainer_.settings().context) + " bytes");
    trainer_.try_step();  // the first one also fills the allocator
    const LmNeeds needs = trainer_.try_step();
    say("needs about " + megabytes(needs.bytes) + " and " + duration_text(needs.seconds * double(left)));
    reset_peak();
  }

  long every() const {
    return o_.checkpoint_every ? o_.checkpoint_every : std::clamp(trainer_.last_step() / 10, 1L, 1000L);
  }

  void train() {
    interrupt_.hold();
    std::unique_ptr<Progress> progress;
    if (!o_.quiet) progress = std::make_unique<Progress>("step", trainer_.last_step());
    while (!done() && !interrupt_.wanted()) {
      one_step(progress.get());
      if (done() || trainer_.step() % every() == 0) evaluate_and_save();
    }
    result_.step = trainer_.step(), result_.peak_bytes = memory_stats().peak;
    result_.tokens_per_s = trained_seconds_ > 0 ? double(trained_tokens_) / trained_seconds_ : 0;
    if (done()) {
      if (progress) progress->finish(text());
      return;
    }
    result_.stopped = true;
    progress.reset();
    trainer_.check_weights();
    if (saved_step_ != trainer_.step()) save();
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
    return format("loss %.3f   bpc %.3f   ", last_.loss, result_.train_bpc) +
           (std::isfinite(result_.valid_bpc) ? format("valid %.3f   ", result_.valid_bpc) : "") +
           format("%.0f tokens/s   ", speed_) + megabytes(memory_stats().reserved);
  }

  double validation() {
    const LmSettings& s = trainer_.settings();
    const ByteSplit part = data_.valid.first(o_.valid_bytes);
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
    if (o_.sample_bytes && s.context >= 2)
      folder_.write_sample(trainer_.step(), sampled_text(trainer_.model(), s.context, "\n",
                                                         {.length = o_.sample_bytes, .temperature = 0.8}));
    save();  // last: whoever goes on from it finds all that belongs to it
    write_page(folder_);
  }

  void save() {
    TrainingState state = trainer_.state();
    state.numbers = {{kTrainBpc, result_.train_bpc}, {kSeconds, seconds_}};
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
