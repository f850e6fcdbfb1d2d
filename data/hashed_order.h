// A shuffle that is the same everywhere: what parts data into training, validation and test, whatever order it is in.
#pragma once

#include <cstddef>
#include <vector>

namespace heed {

std::vector<size_t> hashed_order(const char* op, size_t count);  // 0 .. count - 1, by a hash of each; `op`: of whom

}  // namespace heed
