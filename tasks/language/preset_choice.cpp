#include "tasks/language/preset_choice.h"

#include "system/error.h"
#include "system/progress.h"
#include "system/text.h"

namespace heed {
namespace {

// With fewer steps a smaller model, which takes ten times as many of them, is the better one.
constexpr double kEnoughSteps = 3000;
// With less to read for every weight a model learns its text by heart before it is better than a smaller one.
constexpr double kBytesPerWeight = 0.5;
constexpr long kLittleText = 10000;  // bytes

std::string millions(long number) {
  return format(number < 100000 ? "%.3f million" : "%.1f million", double(number) / 1e6);
}

// Why this one is too large; empty if it is not.
std::string objection(const std::string& name, const PresetFacts& of, const std::string& smaller, long bytes,
                      double seconds) {
  if (of.steps < kEnoughSteps)
    return "in " + duration_text(seconds) + " " + name + format(" would take about %.0f steps, and ", of.steps) +
           format("with fewer than %.0f it learns less than ", kEnoughSteps) + smaller;
  if (double(bytes) < kBytesPerWeight * double(of.parameters))
    return "there are " + millions(bytes) + " bytes to learn, and " + name + ", with " + millions(of.parameters) +
           " weights, would soon know them by heart";
  return "";
}

}  // namespace

PresetChoice chosen_preset(const std::vector<std::string>& names,
                           const std::function<PresetFacts(const std::string& name)>& facts, long bytes,
                           double seconds) {
  HEED_CHECK(!names.empty(), "chosen_preset", "there is no preset to choose from");
  PresetChoice choice{names[0], "it is the smallest"};
  for (size_t i = 1; i < names.size(); i++) {
    const PresetFacts of = facts(names[i]);
    const std::string reason = objection(names[i], of, choice.name, bytes, seconds);
    if (!reason.empty()) return {choice.name, reason};
    choice = {names[i], format("in %s it takes about %.0f steps, and there are %s bytes to learn",
                               duration_text(seconds).c_str(), of.steps, millions(bytes).c_str())};
  }
  return choice;
}

std::string note_on_little_text(long bytes, long valid_bytes) {
  if (bytes >= kLittleText) return "";
  return format(
      "there are only %ld bytes to learn, and %ld to validate: a model can learn so few by heart, and little "
      "else; from about 100,000 bytes on one learns to write",
      bytes, valid_bytes);
}

}  // namespace heed
