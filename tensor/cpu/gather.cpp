// Picking elements by index, and the gradients that add them back. Work is cut by columns (columns.h): no two threads
// write to one place, and additions have a fixed order.
#include "tensor/ops/gather.h"

#include "tensor/cpu/columns.h"

namespace heed {
namespace {

// x (outer, from, inner); y, indices (outer, picked, inner)
void gather_cpu(void* y, const void* x, const int64_t* indices, const GatherSizes& s, long bytes) {
  visit_move(bytes, [&](auto move) {
    for_columns(s, [=](long in, long out, long width) {
      for (long r = 0; r < s.picked; r++, out += s.inner)
        for (long c = 0; c < width; c++) move(y, out + c, x, in + indices[out + c] * s.inner + c);
    });
  });
}

// x (outer, from, inner), y (outer, picked, inner), indices (picked): runs of `inner` elements
void index_select_cpu(void* y, const void* x, const int64_t* indices, const GatherSizes& s, long bytes) {
  const long run = s.inner * bytes;
  char* to = static_cast<char*>(y);
  const char* from = static_cast<const char*>(x);
  parallel_for(s.outer * s.picked, rows_grain(s.inner), [&](long begin, long end) {
    for (long i = begin; i < end; i++)
      std::memcpy(to + i * run, from + (i / s.picked * s.from + indices[i % s.picked]) * run, size_t(run));
  });
}

// dx (outer, from, inner), dy (outer, picked, inner), indices (picked). Cut by columns: each task walks all indices
// in order, so that equal ones are always added in the same order.
template <class E> void index_select_backward_cpu(E* dx, const E* dy, const int64_t* indices, const GatherSizes& s) {
  for_columns(s, [=](long to, long from, long width) {
    for (long r = 0; r < s.picked; r++) add_row(dx + to + indices[r] * s.inner, dy + from + r * s.inner, width);
  });
}

const OnCpu gather{[](auto set) {
  set(kernels::gather, gather_cpu);
  set(kernels::index_select, index_select_cpu);
}};
const OnCpu gather_backward{
    []<class E>(auto set) { set(kernels::index_select_backward<E>, index_select_backward_cpu<E>); }};

}  // namespace
}  // namespace heed
