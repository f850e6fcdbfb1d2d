#include "tensor/machine.h"

#include "tensor/cpu/blas.h"
#include "tensor/parallel.h"
#include "tensor/version.h"

namespace heed {

std::string machine_description() {
  return std::string("heed ") + version() + ", " + std::to_string(threads()) +
         (threads() == 1 ? " thread, " : " threads, ") + blas_description();
}

}  // namespace heed
