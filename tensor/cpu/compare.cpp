#include "tensor/ops/compare.h"

#include "tensor/cpu/walk.h"

namespace heed {
namespace {

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

template <class E> void register_comparisons() {
#define HEED_ROW(name, f) kernels::compare<ops::name##_op, E>.set(Backend::cpu, compare_cpu<ops::name##_op, E>);
  HEED_COMPARE_TABLE(HEED_ROW)
}

void register_logic() {
  using E = bool;
  HEED_LOGICAL_TABLE(HEED_ROW)
}

const bool registered = (register_comparisons<float>(), register_comparisons<double>(), register_comparisons<int32_t>(),
                         register_comparisons<int64_t>(), register_comparisons<uint8_t>(), register_comparisons<bool>(),
                         register_logic(), true);

}  // namespace
}  // namespace heed
