#include "tasks/language/ordering_time.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

#include "tasks/language/language_task.h"
#include "train/checkpoint_files.h"
#include "train/trainer.h"

namespace heed {
namespace {

// Asks once for every kind of run, and remembers.
class ByLetters {
 public:
  explicit ByLetters(const std::function<double(const OrderingRun&)>& ask) : ask_(ask) {}
  double operator()(const OrderingRun& run) {
    std::string letters = run.letters;
    std::sort(letters.begin(), letters.end());
    const auto [found, is_new] = known_.try_emplace(letters);
    if (is_new) found->second = ask_(run);
    return found->second;
  }

 private:
  std::function<double(const OrderingRun&)> ask_;
  std::map<std::string, double> known_;
};

}  // namespace

// If run i alone could take n_i steps in all of the time, a step of every run takes a part sum 1 / n_i of it.
long equal_steps(double seconds, const std::vector<OrderingRun>& runs, const LmSettings& settings,
                 const ByteData& data) {
  ByLetters alone([&](const OrderingRun& run) {
    LanguageTask trial(settings_of(run, settings), data);
    return double(steps_within(seconds, trial));
  });
  double part = 0;
  for (const OrderingRun& run : runs) part += 1 / alone(run);
  return std::max(1L, std::lround(1 / part));
}

double seconds_left(const std::string& folder, const std::vector<OrderingRun>& runs, const LmSettings& settings,
                    const ByteData& data) {
  ByLetters whole([&](const OrderingRun& run) {
    LanguageTask trial(settings_of(run, settings), data);
    Trainer trainer(trial);
    return needs_of_rest(trainer).seconds;
  });
  const long last = schedule_of(settings).steps();
  double sum = 0;
  for (const OrderingRun& run : runs) {
    const auto list = CheckpointFiles(folder + "/" + run.folder()).list();
    const long left = last - (list.empty() ? 0 : list.back().step);
    if (left > 0) sum += whole(run) * double(left) / double(last);
  }
  return sum;
}

}  // namespace heed
