// Placing elements by index, adding them, and the gradient of placing: all three walk over the indices of a column in
// order (in_order.cuh), so that of equal ones the last one wins.
#include "tensor/ops/scatter.h"

#include "cuda/in_order.cuh"
#include "cuda/move.cuh"

namespace heed::cuda {
namespace {

// y (outer, from, inner); source, indices (outer, picked, inner)
template <class To, class From> struct ColumnsOf {
  To* y;
  From* source;
  const int64_t* indices;
  GatherSizes s;
  bool backwards = false;  // from the last index to the first

  __device__ Column<To, From, int64_t> operator()(long n, long c) const {
    const long first = (n * s.picked + (backwards ? s.picked - 1 : 0)) * s.inner + c;
    const long step = backwards ? -s.inner : s.inner;
    return {y + n * s.from * s.inner + c, source + first, indices + first, s.inner, step, step};
  }
};

InOrderSizes sizes_of(const GatherSizes& s) { return {s.outer, s.from, s.picked, s.inner}; }

struct Put {
  template <class E> __device__ void operator()(E& to, const E& from) const { to = from; }
};

template <class Bits> void scatter_bits(void* y, const void* source, const int64_t* indices, const GatherSizes& s) {
  const ColumnsOf<Bits, const Bits> columns{static_cast<Bits*>(y), static_cast<const Bits*>(source), indices, s};
  in_order("scatter", sizes_of(s), columns, Put());
}
void scatter(void* y, const void* source, const int64_t* indices, const GatherSizes& s, long bytes) {
  visit_bits(bytes, [&](auto tag) { scatter_bits<decltype(tag)>(y, source, indices, s); });
}

// Backwards, the first one to come to a place is the one that won: it takes the gradient away and leaves a 0 for dx and
// for those it has beaten.
struct Take {
  template <class E> __device__ void operator()(E& dx, E& dsource) const {
    dsource = dx;
    dx = 0;
  }
};

template <class E> void scatter_backward(E* dx, E* dsource, const int64_t* indices, const GatherSizes& s) {
  in_order("scatter", sizes_of(s), ColumnsOf<E, E>{dx, dsource, indices, s, true}, Take());
}

template <class E> void scatter_add(E* y, const E* source, const int64_t* indices, const GatherSizes& s) {
  in_order("scatter_add", sizes_of(s), ColumnsOf<E, const E>{y, source, indices, s}, Add());
}

const OnCuda scatter_kernels{[](auto set) { set(kernels::scatter, scatter); }};
const OnCuda scatter_maths{[]<class E>(auto set) {
  set(kernels::scatter_backward<E>, scatter_backward<E>);
  set(kernels::scatter_add<E>, scatter_add<E>);
}};

}  // namespace
}  // namespace heed::cuda
