// Tensors made by a rule.
#include "tensor/create.h"

#include "cuda/walk.cuh"

namespace heed::cuda {
namespace {

void arange(int64_t* x, long n) {
  for_elements("arange", n, [=] __device__(long i) { x[i] = i; });
}

const OnCuda create{[](auto set) { set(kernels::arange, arange); }};

}  // namespace
}  // namespace heed::cuda
