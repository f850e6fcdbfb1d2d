// Tensors made by a rule.
#include "tensor/create.h"

namespace heed {
namespace {

void arange_cpu(int64_t* x, long n) {
  for (long i = 0; i < n; i++) x[i] = i;
}

const OnCpu arange{[](auto set) { set(kernels::arange, arange_cpu); }};

}  // namespace
}  // namespace heed
