// Which weights of attention dropout keeps, as a matrix: for engines that have one. A head has a site of its own, and a
// query is counted from the end of the keys, so that decoding draws what the whole sequence draws.
#include "attention/engines/keep_kernels.h"
#include "cuda/keep_draws.cuh"

namespace heed::cuda {
namespace {

// A query's position may be negative, where there are more queries than keys.
struct CounterOfQuery {
  kernels::AttentionKeep sizes;

  __device__ Philox4 operator()(long row, uint32_t j) const {
    const long head = row / sizes.rows, position = sizes.begin + row % sizes.rows + sizes.S - sizes.T;
    return {sizes.key.site + kernels::head_site(head % sizes.H), sizes.key.sample + uint32_t(head / sizes.H),
            uint32_t(position), j};
  }
};

// keep (B, H, rows, S)
void attention_keep(bool* keep, const kernels::AttentionKeep& s) {
  const uint32_t threshold = s.threshold;
  for_keep_draws("attention_keep", s.B * s.H * s.rows, s.S, s.key.key(), CounterOfQuery{s},
                 [=] __device__(long at, uint32_t draw) { keep[at] = draw >= threshold; });
}

const OnCuda attention_keep_kernel{[](auto set) { set(kernels::attention_keep, attention_keep); }};

}  // namespace
}  // namespace heed::cuda
