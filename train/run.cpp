#include "train/run.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <optional>

#include "autograd/finite.h"
#include "system/interrupt.h"
#include "system/mapped_files.h"
#include "system/progress.h"
#include "system/text.h"
#include "tensor/allocator.h"
#include "train/checkpoint_files.h"
#include "train/overfitting.h"
#include "train/run_folder.h"
#include "train/run_load.h"
#include "train/trainer.h"
#include "train/warm_start.h"

namespace heed {
namespace {

constexpr const char* kTrainLoss = "train_loss";  // of checkpoints: nats, the running mean
constexpr double kShowSeconds = 15;               // between two pages
constexpr const char* kSeconds = "seconds";       // of the metrics: of training, also before a stop

using Clock = std::chrono::steady_clock;
double seconds_since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

std::string megabytes(size_t bytes) { return format("%.0f MB", double(bytes) / 1e6); }

class Run {
 public:
  Run(Task& task, const RunOptions& options)
      : o_(options),
        task_(task),
        score_(task.score()),
        folder_(options.run),
        files_(options.run, int(task.training().keep), task.score()),
        trainer_(task) {}

  RunResult operator()() {
    begin();
    if (done()) {
      tell_done();
      show();
    } else {
      tell_needs();
      train();
    }
    result_.step = trainer_.step();
    result_.train_score = train_score_.value;
    result_.peak_bytes = memory_stats(trainer_.device()).peak;
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
  void show(bool running = false) {
    const auto begin = Clock::now();
    RunPage page = o_.page;
    page.score = score_;
    page.running = running;
    page.more = [&](Page& to) { task_.add_to_page(to, folder_); };
    write_page(folder_, page);
    shown_ = Clock::now(), showing_ = seconds_since(begin);
  }
  // Between checkpoints, too; of a long run, whose page takes longer to write, less often.
  void show_now_and_then() {
    if (seconds_since(shown_) > std::max(kShowSeconds, 50 * showing_)) show(true);
  }
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
    if (!o_.from.empty()) warm_up();
    folder_.write_config(task_.settings(), o_.data_path);
    folder_.forget_after(0);
  }

  void warm_up() {
    const FoundCheckpoint found =
        find_checkpoint(o_.from, {.score = score_, .say = [&](const std::string& text) { say(text); }});
    say(warm_start(trainer_.model(), found.state.weights, found.path).text());
  }

  void check_unused() const {
    const auto list = files_.list();
    HEED_CHECK(list.empty(), "train", folder_.path(), " holds a run already, at step ", list.back().step,
               "; go on with ", option("resume"), ", or choose another folder with ", option("run"));
    HEED_CHECK(folder_.metrics().empty(), "train", folder_.path(),
               " holds the metrics of a run without a checkpoint; start it again with ", option("resume"),
               ", or choose another folder with ", option("run"));
    if (folder_.exists()) known(folder_.config());  // throws: a foreign one
  }

  void take_up(const TrainingState& found) {
    HEED_CHECK(o_.from.empty(), "train", folder_.path(), " has a checkpoint of its own, of step ", found.step, "; ",
               option("from"), " is for the start of a run. Leave it away, or choose another folder with ",
               option("run"));
    HEED_CHECK(found.step <= trainer_.last_step(), "train", folder_.path(), " is at step ", found.step,
               " already, and ", trainer_.last_step(), " were asked for; give ", option("steps"), " ", found.step,
               " or more");
    const std::vector<std::string> changes = differences(settings_of(found), task_.settings());
    restore(found, changes);
    say("going on from " + files_.path(found.step));
    for (const std::string& change : changes) say("  changed: " + change);
    if (!found.data.empty() && found.data != fingerprint_)
      say("  changed: the data has other bytes than before: the run goes on, but not to the same bits");
    folder_.write_config(task_.settings(), o_.data_path);
    folder_.forget_after(found.step);
    saved_step_ = found.step;
    const auto mean = [&](const std::string& name) {  // it goes on; an older checkpoint may have none
      const auto saved = found.numbers.find(name);
      return saved == found.numbers.end() ? RunningMean{} : RunningMean{saved->second, found.step};
    };
    train_score_ = mean(score_.train()), loss_ = mean(kTrainLoss);
    if (const auto line = folder_.last_line(score_.valid())) {
      result_.valid_score = line->at(score_.valid()).number();
      result_.valid_step = line->at("step").integer();
    }
    overfits_ = overfitting(folder_.metrics(), score_);
    seconds_ = folder_.last(kSeconds).value_or(0);
  }

  Json known(const Json& config) const { return task_.known_settings(config, folder_.file("config.json")); }

  // What the run had. Where its data lies only its config says.
  Json settings_of(const TrainingState& found) const {
    const std::string path = files_.path(found.step);
    Json settings = task_.known_settings(Json::parse(found.settings, path), path);
    const std::optional<Json> config = folder_.intact_config();
    if (folder_.exists() && !config)
      say(folder_.file("config.json") + " is damaged and left out: the settings are those of " + path);
    settings["data"] = config ? Json(folder_.data()) : task_.settings().at("data");
    return settings;
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
    const bool own_steps = task_.training().steps != trainer_.last_step();  // the schedule's phases say them
    say("all " + std::to_string(trainer_.last_step()) + " steps are done already; " +
        (own_steps ? "a " + option("schedule") + " with more of them goes on"
                   : option("steps") + " N goes on to more"));
  }

  std::string frozen() const {
    long count = 0;
    for (const Parameter* p : trainer_.model().parameters())
      if (!p->value.requires_grad()) count += p->value.numel();
    return count ? format(" (%.2f frozen)", double(count) / 1e6) : "";
  }

  // "2000 steps of 8 x 512 bytes", of phases one after the other
  std::string steps_text() const {
    std::vector<std::string> texts;
    for (const Phase& phase : trainer_.schedule().phases()) {
      const long batch = phase.batch ? phase.batch : task_.training().batch;
      const long context = phase.context_of(task_.context());
      texts.push_back(std::to_string(phase.steps) + " steps of " + std::to_string(batch) + " x " +
                      std::to_string(context) + " " + task_.unit());
      if (phase.windows != 1) texts.back() += format(" with %g of every window", phase.windows);
    }
    return joined(texts, ", then ");
  }

  void tell_needs() {
    say(format("%.2f million parameters%s, ", double(trainer_.model().parameter_count()) / 1e6, frozen().c_str()) +
        steps_text());
    const Needs rest = needs_of_rest(trainer_);
    say("needs about " + megabytes(rest.bytes) + " for tensors and " + duration_text(rest.seconds));
    show(true);
    say("the page is " + folder_.file("index.html"));
    reset_peak(trainer_.device());
  }

  long every() const {
    const long wanted = task_.training().checkpoint_every;
    return wanted ? wanted : std::clamp(trainer_.last_step() / 10, 1L, 1000L);
  }

  void train() {
    interrupt_.hold();
    std::unique_ptr<Progress> progress;
    if (!o_.quiet) progress = std::make_unique<Progress>("step", trainer_.last_step());
    while (!done() && !interrupt_.wanted()) try {
        one_step(progress.get());
        if (done() || trainer_.step() % every() == 0) evaluate_and_save();
        if (!done()) show_now_and_then();
      } catch (const FileShrunk&) {  // the step was not done
        progress.reset();
        save_last();
        throw;
      }
    if (done()) {
      if (progress) progress->finish(text());
      if (overfits_) say(overfits_->text(score_));
      return;
    }
    result_.stopped = true;
    progress.reset();
    if (overfits_) say(overfits_->text(score_));
    save_last();
  }

  void save_last() {
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
    const double now = task_.training_score(last_.loss, last_.metrics);
    train_score_.add(now);
    loss_.add(last_.loss);
    log_step(now);
    warn_of_explosion(progress);
    if (progress) progress->show(trainer_.step(), text());
  }

  // A loss may run away and stay finite: the weights are ruined all the same. Said once.
  void warn_of_explosion(Progress* progress) {
    constexpr double kTimes = 2, kNats = 1;
    least_loss_ = std::min(least_loss_, loss_.value);
    if (exploded_ || loss_.value <= kTimes * least_loss_ + kNats) return;
    exploded_ = true;
    if (progress) progress->end_line();
    say(format("the loss has run away: it was %.2f nats and is %.2f at step %ld, with a rate of %.2g. ", least_loss_,
               loss_.value, trainer_.step(), last_.rate) +
        "Its weights are ruined: stop it, and begin with a lower " + option("rate") + " or a longer warm-up (" +
        option("schedule") + ")");
  }

  // What the model's parts reported comes behind what all runs have.
  void log_step(double score) const {
    Json line = Json::Object{{"step", trainer_.step()},
                             {score_.name, score},
                             {score_.train(), train_score_.value},
                             {"rate", last_.rate},
                             {"gradient_norm", last_.gradient_norm},
                             {"tokens_per_s", std::round(speed_)},
                             {kSeconds, seconds_}};
    for (const auto& [name, value] : last_.metrics)
      if (!line.find(name)) line[name] = value;
    log(line);
  }

  std::string text() const {
    std::string reported;
    for (const auto& [name, value] : last_.metrics)
      if (name != score_.name) reported += format("%s %.3g   ", name.c_str(), value);
    return format("%s %.3f   ", score_.train().c_str(), train_score_.value) + valid_text() +
           format("%.0f tok/s   peak ", speed_) + megabytes(memory_stats(trainer_.device()).peak) + "   " + reported +
           format("loss %.3f", loss_.value);
  }
  std::string valid_text() const {
    if (!std::isfinite(result_.valid_score)) return "";
    return format("%s %.3f (step %ld%s)   ", score_.valid().c_str(), result_.valid_score, result_.valid_step,
                  overfits_ ? format("; overfits, best at %ld", overfits_->best_step).c_str() : "");
  }

  double validate() { return task_.validate(trainer_.schedule().phase_at(trainer_.step())); }

  // It is computed again, looking at the result of every op.
  void explain_validation() {
    std::string where = "every op made finite numbers, and their sum is too large";
    try {
      const CheckFinite checking;
      validate();
    } catch (const NotFinite& found) {
      where = found.what();
    }
    fail<NotFinite>("train", "the validation of step ", trainer_.step(), " is not finite: ", where,
                    ". These weights are not saved; go on from the last checkpoint with a lower rate");
  }

  void evaluate_and_save() {
    trainer_.check_weights();
    result_.valid_score = validate();
    check_files();
    if (!std::isfinite(result_.valid_score)) explain_validation();
    log(Json::Object{{"step", trainer_.step()},
                     {score_.valid(), result_.valid_score},
                     {"peak_bytes", long(memory_stats(trainer_.device()).peak)},
                     {kSeconds, seconds_}});
    result_.valid_step = trainer_.step();
    overfits_ = overfitting(folder_.metrics(), score_);
    task_.write_samples(folder_, trainer_.step());
    save();  // last: whoever goes on from it finds all that belongs to it
    show(!done());
  }

  void save() {
    TrainingState state = trainer_.state();
    state.data = fingerprint_;
    state.numbers = {{score_.train(), train_score_.value}, {kTrainLoss, loss_.value}};
    if (result_.valid_step == trainer_.step()) state.numbers[score_.valid()] = result_.valid_score;
    files_.save(state);
    saved_step_ = state.step;
  }

  RunOptions o_;
  Task& task_;
  Score score_;
  RunFolder folder_;
  CheckpointFiles files_;
  std::optional<RunLock> lock_;
  Interrupt interrupt_;
  Trainer trainer_;
  RunResult result_;
  Step last_;
  const std::string fingerprint_ = task_.fingerprint();
  double seconds_ = 0;  // of training, also before a stop
  RunningMean train_score_, loss_;
  std::optional<Overfitting> overfits_;
  double trained_seconds_ = 0, speed_ = 0;
  Clock::time_point shown_ = Clock::now();
  double showing_ = 0;            // seconds that the page took
  double least_loss_ = INFINITY;  // of the running mean
  bool exploded_ = false;
  long trained_tokens_ = 0;
  long saved_step_ = -1;  // of the newest checkpoint
};

}  // namespace

RunResult train_run(Task& task, const RunOptions& options) { return Run(task, options)(); }

std::string final_line(const RunResult& r, const Score& score) {
  return format("final step=%ld %s=%.4f %s=%.4f tokens_per_s=%.0f peak_bytes=%zu", r.step, score.train().c_str(),
                r.train_score, score.valid().c_str(), r.valid_score, r.tokens_per_s, r.peak_bytes) +
         (r.valid_step == r.step ? "" : " valid_step=" + std::to_string(r.valid_step));
}

Json final_json(const RunResult& r, const Score& score) {
  return Json::Object{{"event", "final"},
                      {"step", r.step},
                      {score.train(), r.train_score},
                      {score.valid(), r.valid_score},
                      {"valid_step", r.valid_step},
                      {"tokens_per_s", r.tokens_per_s},
                      {"peak_bytes", long(r.peak_bytes)},
                      {"stopped", r.stopped}};
}

}  // namespace heed
