// Looking up rows of a table, and the gradient that adds rows back. Backward sorts the ids first, so that every row of
// the table is written by one thread, in the order of the ids.
#include "tensor/ops/embedding.h"

#include "system/ceil_div.h"
#include "tensor/cpu/columns.h"

namespace heed {
namespace {

// table (V, C), ids (n), y (n, C)
template <class E> void embedding_cpu(E* y, const E* table, const int64_t* ids, long n, long C) {
  parallel_for(n, rows_grain(C), [&](long begin, long end) {
    for (long i = begin; i < end; i++) std::copy_n(table + ids[i] * C, C, y + i * C);
  });
}

// The positions of the ids, sorted by id and in their order for equal ones: begin (V + 1), order (n).
struct Sorted {
  int64_t *begin, *order;
  Sorted(void* workspace, long V) : begin(static_cast<int64_t*>(workspace)), order(begin + V + 1) {}

  void sort(const int64_t* ids, long n, long V) const {
    std::fill_n(begin, V + 1, 0);
    for (long i = 0; i < n; i++) begin[ids[i] + 1]++;
    for (long v = 0; v < V; v++) begin[v + 1] += begin[v];
    for (long i = 0; i < n; i++) order[begin[ids[i]]++] = i;
    for (long v = V; v > 0; v--) begin[v] = begin[v - 1];
    begin[0] = 0;
  }
};

long workspace_cpu(long n, long V) { return (n + V + 1) * long(sizeof(int64_t)); }

// dtable (V, C), dy (n, C), ids (n). Each row of the table is written once, from the rows of dy that belong to it in
// their order. Wide rows are cut into columns, so that a frequent id keeps more than one thread busy.
template <class E>
void embedding_backward_cpu(E* dtable, const E* dy, const int64_t* ids, long n, long V, long C, void* workspace) {
  constexpr long kColumns = 128;
  const Sorted sorted(workspace, V);
  sorted.sort(ids, n, V);
  const long parts = ceil_div(C, kColumns);
  parallel_for(V * parts, rows_grain((n / V + 1) * std::min(C, kColumns)), [=](long begin, long end) {
    for (long task = begin; task < end; task++) {
      const long id = task / parts, first = task % parts * kColumns, count = std::min(kColumns, C - first);
      E* row = dtable + id * C + first;
      std::fill_n(row, count, E(0));
      for (long k = sorted.begin[id]; k < sorted.begin[id + 1]; k++)
        add_row(row, dy + sorted.order[k] * C + first, count);
    }
  });
}

const OnCpu embedding_workspace{[](auto set) { set(kernels::embedding_workspace_bytes, workspace_cpu); }};
const OnCpu embedding{[]<class E>(auto set) {
  set(kernels::embedding<E>, embedding_cpu<E>);
  set(kernels::embedding_backward<E>, embedding_backward_cpu<E>);
}};

}  // namespace
}  // namespace heed
