#include "tasks/language/ordering_training.h"

#include <algorithm>
#include <cmath>

#include "autograd/finite.h"
#include "system/interrupt.h"
#include "system/progress.h"
#include "system/text.h"
#include "tasks/language/language_task.h"
#include "tasks/language/ordering_folder.h"
#include "tasks/language/ordering_time.h"

namespace heed {
namespace {

class Training {
 public:
  Training(const OrderingSet& set, const LmSettings& settings, const ByteData& data, const OrderingOptions& options)
      : o_(options), data_(data), folder_(options.run.run, options.run.option_name), settings_(settings) {
    planned_ = planned_runs(set, settings);
    data.check_context(settings.context);
    SavedOrderings all{set, settings, data.fingerprint()};
    folder_.check(all, planned_.runs, options.run.resume);
    folder_.check_writable();
    lock_.emplace(RunFolder(folder_.path()));
    const bool is_new = !folder_.saved();
    if (is_new && options.run.resume) say("there is no set of orderings in " + folder_.path() + " yet");
    if (!is_new && options.minutes > 0)
      say("the set keeps the steps that it began with; the minutes are for a new one");
    if (is_new && options.minutes > 0) all.settings.steps = settings_.steps = steps_for_minutes();
    folder_.save(all);
  }

  TrainedOrderings operator()() {
    tell_plan();
    interrupt_.hold();
    TrainedOrderings all{.results = shown()};
    for (size_t i = 0; i < planned_.runs.size() && !all.stopped; i++) {
      if (is_finished(planned_.runs[i])) continue;
      try {
        train(i);
      } catch (const NotFinite& error) {
        say(error.what());
        all.failed.push_back(planned_.runs[i].folder() + " is left out: " + error.what());
      }
      all.results = shown();
      all.stopped = interrupt_.wanted() && all.results.missing() > 0;
    }
    return all;
  }

 private:
  void say(const std::string& text) const {
    if (o_.run.say) o_.run.say(text);
  }
  long last_step() const { return schedule_of(settings_).steps(); }
  bool is_finished(const OrderingRun& run) const { return folder_.is_finished(run, last_step()); }

  long steps_for_minutes() const {
    const double seconds = 60 * o_.minutes;
    say("trying some steps, to see how many fit into " + duration_text(seconds) + " ...");
    return equal_steps(seconds, planned_.runs, settings_, data_);
  }

  void tell_plan() const {
    for (const std::string& note : planned_.notes) say(note);
    for (const OrderingRun& run : planned_.runs)
      if (run.seed == settings_.seed) tell_size(run);
    const size_t all = planned_.runs.size();
    const auto done = std::count_if(planned_.runs.begin(), planned_.runs.end(),
                                    [&](const OrderingRun& run) { return is_finished(run); });
    say(format("%zu runs of %ld steps each", all, last_step()) + (done ? format(", %ld finished already", done) : ""));
    if (size_t(done) < all)
      say("about " + duration_text(seconds_left(folder_.path(), planned_.runs, settings_, data_)) +
          " of training in all; Ctrl-C saves, and " + o_.run.option_name("resume") + " goes on");
  }

  void tell_size(const OrderingRun& run) const {
    constexpr double kFair = 0.05;  // biases and norms differ by less
    const double own = double(run.parameters), usual = double(planned_.runs.front().parameters);
    if (std::abs(own / usual - 1) > kFair)
      say(format("%s has %.2f million parameters, the baseline %.2f: it shows more than what the order does",
                 run.name.c_str(), own / 1e6, usual / 1e6));
  }

  void train(size_t i) const {
    const OrderingRun& run = planned_.runs[i];
    const LmSettings own = settings_of(run, settings_);
    say(format("\nrun %zu of %zu: %s, seed %ld: ", i + 1, planned_.runs.size(), run.name.c_str(), run.seed) +
        run.letters);
    RunOptions options = o_.run;
    options.run = folder_.run(run).path();
    options.resume = folder_.is_begun(run);
    options.page = o_.run_page ? o_.run_page(options.run, own) : RunPage{};
    LanguageTask task(own, data_);
    const RunResult result = train_run(task, options);
    if (o_.trained) o_.trained(run, result);
  }

  OrderingResults shown() const {
    OrderingResults results = ordering_results(folder_.path(), planned_, settings_);
    write_results(results, o_.run.page);
    return results;
  }

  const OrderingOptions& o_;
  const ByteData& data_;
  OrderingFolder folder_;
  LmSettings settings_;
  PlannedRuns planned_ = {};
  std::optional<RunLock> lock_ = {};
  Interrupt interrupt_ = {};
};

}  // namespace

TrainedOrderings train_orderings(const OrderingSet& set, const LmSettings& settings, const ByteData& data,
                                 const OrderingOptions& options) {
  return Training(set, settings, data, options)();
}

}  // namespace heed
