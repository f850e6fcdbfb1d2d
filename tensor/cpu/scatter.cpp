// Placing elements by index, adding them, and the gradient of placing. Work is cut by columns (columns.h): no two
// threads write to one place, and of equal indices the last one wins, as the loops run.
#include "tensor/ops/scatter.h"

#include "tensor/cpu/columns.h"

namespace heed {
namespace {

// y (outer, from, inner); source, indices (outer, picked, inner)
void scatter_cpu(void* y, const void* source, const int64_t* indices, const GatherSizes& s, long bytes) {
  visit_move(bytes, [&](auto move) {
    for_columns(s, [=](long to, long from, long width) {
      for (long r = 0; r < s.picked; r++, from += s.inner)
        for (long c = 0; c < width; c++) move(y, to + indices[from + c] * s.inner + c, source, from + c);
    });
  });
}

// dx (outer, from, inner) holds dy; dsource, indices (outer, picked, inner). Backwards through r: the first one to come
// to a place is the one that won; it takes the gradient away and leaves a 0 for dx and for those it has beaten.
template <class E> void scatter_backward_cpu(E* dx, E* dsource, const int64_t* indices, const GatherSizes& s) {
  for_columns(s, [=](long to, long from, long width) {
    for (long r = s.picked - 1; r >= 0; r--)
      for (long at = from + r * s.inner, c = 0; c < width; at++, c++) {
        E& place = dx[to + indices[at] * s.inner + c];
        dsource[at] = place;
        place = 0;
      }
  });
}

// y (outer, from, inner); source, indices (outer, picked, inner)
template <class E> void scatter_add_cpu(E* y, const E* source, const int64_t* indices, const GatherSizes& s) {
  for_columns(s, [=](long to, long from, long width) {
    for (long r = 0; r < s.picked; r++, from += s.inner)
      for (long c = 0; c < width; c++) y[to + indices[from + c] * s.inner + c] += source[from + c];
  });
}

const OnCpu scatter{[](auto set) { set(kernels::scatter, scatter_cpu); }};
const OnCpu scatter_maths{[]<class E>(auto set) {
  set(kernels::scatter_backward<E>, scatter_backward_cpu<E>);
  set(kernels::scatter_add<E>, scatter_add_cpu<E>);
}};

}  // namespace
}  // namespace heed
