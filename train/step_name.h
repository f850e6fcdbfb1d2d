// The names of files that belong to a step of a run: "step-000120.txt".
#pragma once

#include <string>
#include <vector>

namespace heed {

std::string step_name(long step, const std::string& ending);       // (120, ".txt") -> "step-000120.txt"
long step_of(const std::string& name, const std::string& ending);  // and back; -1 for any other name

// The steps, in order, of which a folder has such files: none if there is no such folder. One that cannot be read is an
// error and not an empty one: its files would be overwritten.
std::vector<long> steps_in(const char* op, const std::string& folder, const std::string& ending);

}  // namespace heed
