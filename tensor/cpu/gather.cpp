#include "tensor/gather.h"

#include "tensor/cpu/columns.h"

namespace heed {
namespace {

// x (outer, from, inner); y, indices (outer, picked, inner)
void gather_cpu(void* y, const void* x, const int64_t* indices, const GatherSizes& s, long bytes) {
  visit_move(bytes, [&](auto move) {
    for_columns(s, [&](long in, long out) {
      for (long r = 0; r < s.picked; r++) move(y, out + r * s.inner, x, in + indices[out + r * s.inner] * s.inner);
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
template <class T> void index_select_backward_cpu(T* dx, const T* dy, const int64_t* indices, const GatherSizes& s) {
  constexpr long kColumns = 64;
  const long blocks = (s.inner + kColumns - 1) / kColumns;
  const long grain = rows_grain(s.picked * std::min(s.inner, kColumns));
  parallel_for(s.outer * blocks, grain, [&](long begin, long end) {
    for (long task = begin; task < end; task++) {
      const long outer = task / blocks, first = task % blocks * kColumns, last = std::min(first + kColumns, s.inner);
      T* to = dx + outer * s.from * s.inner;
      const T* given = dy + outer * s.picked * s.inner;
      for (long r = 0; r < s.picked; r++)
        for (long c = first; c < last; c++) to[indices[r] * s.inner + c] += given[r * s.inner + c];
    }
  });
}

const Registered gather_on_cpu{kernels::gather, Backend::cpu, gather_cpu};
const Registered select_on_cpu{kernels::index_select, Backend::cpu, index_select_cpu};
const Registered select_backward_f32{kernels::index_select_backward<float>, Backend::cpu,
                                     index_select_backward_cpu<float>};
const Registered select_backward_f64{kernels::index_select_backward<double>, Backend::cpu,
                                     index_select_backward_cpu<double>};

}  // namespace
}  // namespace heed
