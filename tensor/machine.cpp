#include "tensor/machine.h"

#include <sstream>

#include "system/parallel.h"
#include "system/processor.h"
#include "system/version.h"
#include "tensor/cpu/products/blas.h"
#include "tensor/device.h"

namespace heed {

std::string vector_description(uint64_t build, uint64_t cpu) {
  const std::string used = vector_unit(build), there = vector_unit(cpu);
  return used == there ? used : used + " (this CPU has " + there + ": a plain `make` uses it)";
}

namespace {

// "cuda:0: NVIDIA L4, sm_89, 22.0 GiB"
std::string device_text(Device device) {
  std::ostringstream out;
  out << device << ": " << description(device);
  return out.str();
}

}  // namespace

std::string machine_description() {
  return std::string("heed ") + version() + ", " + std::to_string(threads()) +
         (threads() == 1 ? " thread, " : " threads, ") + vector_description(build_features(), cpu_features()) + ", " +
         blas_description() + (chosen_device() == cpu ? "" : ", on " + device_text(chosen_device()));
}

}  // namespace heed
