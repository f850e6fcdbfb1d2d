// Dropout without a mask in memory: each element is kept and scaled, or zeroed, by the draw that keep_mask makes for
// it. It is its own gradient: backward draws again.
#include "tensor/ops/dropout.h"

#include "cuda/keep_draws.cuh"

namespace heed::cuda {
namespace {

// y, x (samples, tokens, channels), which may be the same memory
template <class E> void dropout(E* y, const E* x, const KeepDraws& s, E scale) {
  const uint32_t threshold = s.threshold;
  for_keep_draws("dropout", s,
                 [=] __device__(long at, uint32_t draw) { y[at] = draw >= threshold ? x[at] * scale : E(0); });
}

const OnCuda dropout_kernels{[]<class E>(auto set) { set(kernels::dropout<E>, dropout<E>); }};

}  // namespace
}  // namespace heed::cuda
