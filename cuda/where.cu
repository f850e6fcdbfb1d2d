// Choosing between two tensors, and clamping, element by element over operands that broadcast.
#include "tensor/ops/where.h"

#include "cuda/move.cuh"
#include "cuda/walk.cuh"

namespace heed::cuda {
namespace {

template <class Bits> void choose(void* y, const bool* condition, const void* a, const void* b, const Loop& loop) {
  auto* out = static_cast<Bits*>(y);
  auto *yes = static_cast<const Bits*>(a), *no = static_cast<const Bits*>(b);
  walk<4>("where", loop, [=] __device__(const long* at) { out[at[0]] = condition[at[1]] ? yes[at[2]] : no[at[3]]; });
}

// Bits are moved, so only the size of the type matters.
void where(void* y, const bool* condition, const void* a, const void* b, DType dtype, const Loop& loop) {
  visit_bits(size_of(dtype), [&](auto tag) { choose<decltype(tag)>(y, condition, a, b, loop); });
}

template <class E> void clamp(E* y, const E* x, E low, E high, const Loop& loop) {
  walk<2>("clamp", loop, [=] __device__(const long* at) {
    const E value = x[at[1]];
    y[at[0]] = value < low ? low : value > high ? high : value;  // NaN is neither
  });
}

template <class E> void clamp_backward(E* dx, const E* dy, const E* x, E low, E high, const Loop& loop) {
  walk<3>("clamp", loop,
          [=] __device__(const long* at) { dx[at[0]] = x[at[2]] >= low && x[at[2]] <= high ? dy[at[1]] : E(0); });
}

const OnCuda choices{[](auto set) { set(kernels::where, where); }};
const OnCuda clamps{[]<class E>(auto set) {
  set(kernels::clamp<E>, clamp<E>);
  set(kernels::clamp_backward<E>, clamp_backward<E>);
}};

}  // namespace
}  // namespace heed::cuda
