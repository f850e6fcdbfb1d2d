// What runs here: the line that every program prints at start.
#pragma once

#include <cstdint>
#include <string>

namespace heed {

std::string machine_description();  // "heed 0.1.0, 2 threads, AVX2, OpenBLAS 0.3.21, Zen kernels"

// Its third part: "AVX2", or "AVX2 (this CPU has AVX-512: a plain `make` uses it)". Bits of system/processor.h.
std::string vector_description(uint64_t build, uint64_t cpu);

}  // namespace heed
