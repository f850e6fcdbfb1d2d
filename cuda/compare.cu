// Comparisons and logic, element by element over operands that broadcast.
#include "tensor/ops/compare.h"

#include "cuda/walk.cuh"

namespace heed::cuda {
namespace {

template <class Op, class E> void compare(bool* y, const E* a, const E* b, const Loop& loop) {
  walk<3>(Op::name, loop, [=] __device__(const long* at) { y[at[0]] = Op::f(a[at[1]], b[at[2]]); });
}

#define HEED_ROW(name, f) set(kernels::compare<ops::name##_op, E>, compare<ops::name##_op, E>);
const OnCuda comparisons{kTypes<float, double, int32_t, int64_t, uint8_t, bool>,
                         []<class E>(auto set) { HEED_COMPARE_TABLE(HEED_ROW) }};
const OnCuda logic{kTypes<bool>, []<class E>(auto set) { HEED_LOGICAL_TABLE(HEED_ROW) }};

}  // namespace
}  // namespace heed::cuda
