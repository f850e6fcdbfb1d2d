// What runs here: the line that every program prints at start.
#pragma once

#include <string>

namespace heed {

std::string machine_description();  // "heed 0.1.0, 2 threads, OpenBLAS 0.3.21, Zen kernels"

}  // namespace heed
