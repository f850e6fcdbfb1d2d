// Comparisons and logic, element by element over operands that broadcast: one loop per shape of memory access, so that
// the compiler can vectorise the common ones.
#include "tensor/ops/compare.h"

#include "tensor/cpu/walk.h"

namespace heed {
namespace {

// y[i] = Op::f(a[i], b[i]) for all i of the loop: y is dense, a and b have its strides
template <class Op, class E> void compare_cpu(bool* y, const E* a, const E* b, const Loop& loop) {
  const long sa = loop.strides[1].back(), sb = loop.strides[2].back();
  walk<3>(loop, [&](long n, const std::array<long, 3>& at) {
    bool* out = y + at[0];
    const E *pa = a + at[1], *pb = b + at[2];
    if (sa == 1 && sb == 1) {
      for (long i = 0; i < n; i++) out[i] = Op::f(pa[i], pb[i]);
    } else if (sa == 1 && sb == 0) {
      for (long i = 0; i < n; i++) out[i] = Op::f(pa[i], *pb);
    } else {
      for (long i = 0; i < n; i++) out[i] = Op::f(pa[i * sa], pb[i * sb]);
    }
  });
}

#define HEED_ROW(name, f) set(kernels::compare<ops::name##_op, E>, compare_cpu<ops::name##_op, E>);
const OnCpu comparisons{kTypes<float, double, int32_t, int64_t, uint8_t, bool>,
                        []<class E>(auto set) { HEED_COMPARE_TABLE(HEED_ROW) }};
const OnCpu logic{kTypes<bool>, []<class E>(auto set) { HEED_LOGICAL_TABLE(HEED_ROW) }};

}  // namespace
}  // namespace heed
