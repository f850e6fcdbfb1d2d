#include "train/step_name.h"

#include "system/text.h"

namespace heed {

std::string step_name(long step, const std::string& ending) { return format("step-%06ld", step) + ending; }

long step_of(const std::string& name, const std::string& ending) {
  long step = -1;
  if (std::sscanf(name.c_str(), "step-%18ld", &step) != 1 || step < 0) return -1;
  return name == step_name(step, ending) ? step : -1;
}

}  // namespace heed
