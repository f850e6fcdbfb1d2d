// Picking elements by index, a thread each, and the gradient of index_select, which adds them back in a fixed order
// (in_order.cuh).
#include "tensor/ops/gather.h"

#include "cuda/in_order.cuh"
#include "cuda/move.cuh"
#include "cuda/walk.cuh"

namespace heed::cuda {
namespace {

// x (outer, from, inner); y, indices (outer, picked, inner)
template <class Bits> void gather_bits(void* to, const void* of, const int64_t* indices, const GatherSizes& s) {
  auto* y = static_cast<Bits*>(to);
  auto* x = static_cast<const Bits*>(of);
  const long rows = s.picked * s.inner, from = s.from, inner = s.inner;
  for_elements("gather", s.outer * rows,
               [=] __device__(long e) { y[e] = x[(e / rows * from + indices[e]) * inner + e % inner]; });
}

// x (outer, from, inner), y (outer, picked, inner), indices (picked)
template <class Bits> void index_select_bits(void* to, const void* of, const int64_t* indices, const GatherSizes& s) {
  auto* y = static_cast<Bits*>(to);
  auto* x = static_cast<const Bits*>(of);
  const long picked = s.picked, from = s.from, inner = s.inner;
  for_elements("index_select", s.outer * picked * inner, [=] __device__(long e) {
    const long row = e / inner;
    y[e] = x[(row / picked * from + indices[row % picked]) * inner + e % inner];
  });
}

void gather(void* y, const void* x, const int64_t* indices, const GatherSizes& s, long bytes) {
  visit_bits(bytes, [&](auto tag) { gather_bits<decltype(tag)>(y, x, indices, s); });
}
void index_select(void* y, const void* x, const int64_t* indices, const GatherSizes& s, long bytes) {
  visit_bits(bytes, [&](auto tag) { index_select_bits<decltype(tag)>(y, x, indices, s); });
}

// dx (outer, from, inner), dy (outer, picked, inner), indices (picked)
template <class E> void index_select_backward(E* dx, const E* dy, const int64_t* indices, const GatherSizes& s) {
  const long from = s.from * s.inner, picked = s.picked * s.inner, inner = s.inner;
  const auto columns = [=] __device__(long n, long c) {
    return Column<E, const E, int64_t>{dx + n * from + c, dy + n * picked + c, indices, inner, inner, 1};
  };
  in_order("index_select", {s.outer, s.from, s.picked, s.inner}, columns, Add());
}

const OnCuda gather_kernels{[](auto set) {
  set(kernels::gather, gather);
  set(kernels::index_select, index_select);
}};
const OnCuda gather_backward{
    []<class E>(auto set) { set(kernels::index_select_backward<E>, index_select_backward<E>); }};

}  // namespace
}  // namespace heed::cuda
