#include "train/step_name.h"

#include <algorithm>
#include <filesystem>

#include "system/error.h"
#include "system/text.h"

namespace heed {

namespace fs = std::filesystem;

std::string step_name(long step, const std::string& ending) { return format("step-%06ld", step) + ending; }

long step_of(const std::string& name, const std::string& ending) {
  long step = -1;
  if (std::sscanf(name.c_str(), "step-%18ld", &step) != 1 || step < 0) return -1;
  return name == step_name(step, ending) ? step : -1;
}

std::vector<long> steps_in(const char* op, const std::string& folder, const std::string& ending) {
  std::vector<long> steps;
  std::error_code reason;
  for (fs::directory_iterator entry(folder, reason), end; !reason && entry != end; entry.increment(reason))
    if (const long step = step_of(entry->path().filename().string(), ending); step >= 0) steps.push_back(step);
  const bool absent = reason == std::errc::no_such_file_or_directory || reason == std::errc::not_a_directory;
  HEED_CHECK(!reason || absent, op, "cannot read the folder ", folder, ": ", reason.message(),
             "; what is in there is not known, and nothing may be written over it");
  std::sort(steps.begin(), steps.end());
  return steps;
}

}  // namespace heed
