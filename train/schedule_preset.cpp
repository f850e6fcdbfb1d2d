#include "train/schedule_preset.h"

#include <algorithm>
#include <cmath>

#include "system/error.h"
#include "system/text.h"

namespace heed {
namespace {

constexpr long kMostWarmup = 10000;  // steps of a phase

std::string longformer(const Phase& run) {
  const std::vector<double> shares = {430. / 570, 50. / 570, 50. / 570, 35. / 570};  // of the steps; the last: the rest
  const long phases = long(shares.size()) + 1;
  HEED_CHECK(run.steps >= phases, "schedule", "longformer has ", phases, " phases and there are ", run.steps,
             " steps; there must be at least one for each");
  std::string text;
  long left = run.steps;
  for (long i = 0; i < phases; i++) {
    const long later = phases - 1 - i;  // phases behind this one: each needs a step
    const long wanted = later ? std::lround(shares[size_t(i)] * double(run.steps)) : left;
    const long steps = std::clamp(wanted, 1L, left - later);
    const double part = 1 / double(1L << later);
    const Phase phase{.steps = steps,
                      .contexts = part,
                      .batch = i < 2 ? 2 * run.batch : run.batch,
                      .windows = part,
                      .rate = run.rate / double(1L << i),
                      .warmup = std::min(steps / 10, kMostWarmup)};
    text += (text.empty() ? "" : ";") + Schedule("", phase).text();
    left -= steps;
  }
  return text;
}

const std::vector<SchedulePreset>& presets() {
  static const std::vector<SchedulePreset> all = {
      {"longformer", "five phases, from one to the next windows and context are doubled and the rate is halved",
       longformer}};
  return all;
}

}  // namespace

const SchedulePreset* schedule_preset(const std::string& text) {
  for (const SchedulePreset& preset : presets()) {
    HEED_CHECK(!text.starts_with(preset.name + ":") && !text.starts_with(preset.name + ";"), "schedule", "got '", text,
               "'; ", preset.name, " stands alone: its phases are made of the run's steps, rate, batch and context");
    if (text == preset.name) return &preset;
  }
  return nullptr;
}

std::string schedule_presets_text() {
  std::vector<std::string> texts;
  for (const SchedulePreset& preset : presets()) texts.push_back(preset.name + " (" + preset.summary + ")");
  return joined(texts, ", ");
}

}  // namespace heed
