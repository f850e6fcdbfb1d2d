// The names of files that belong to a step of a run: "step-000120.txt".
#pragma once

#include <string>

namespace heed {

std::string step_name(long step, const std::string& ending);       // (120, ".txt") -> "step-000120.txt"
long step_of(const std::string& name, const std::string& ending);  // and back; -1 for any other name

}  // namespace heed
