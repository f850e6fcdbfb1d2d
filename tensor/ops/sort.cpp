#include "tensor/ops/sort.h"

#include <algorithm>

#include "tensor/copy.h"
#include "tensor/views.h"

namespace heed {
namespace {

// Calls f with a value of a type that has a kernel. What has none (and holds no fractions) was cast to i64 before.
template <class F> auto visit_sorted(const char* op, DType dtype, F&& f) {
  if (dtype == i64) return f(int64_t());
  return visit_maths(op, dtype, f);
}

bool through_i64(DType dtype) { return dtype == i32 || dtype == u8 || dtype == boolean; }

// The result with its last axis back in place, and in x's type.
SortResult shown(const SortResult& sorted, int axis, DType dtype) {
  return {cast(transpose(sorted.values, axis, -1), dtype), transpose(sorted.indices, axis, -1)};
}

// x as (..., n) with the sorted axis last, row-major, in a type that has a kernel.
Tensor in_rows(const Tensor& x, int axis) {
  Tensor last = contiguous(transpose(x, axis, -1));
  return through_i64(x.dtype()) ? cast(last, i64) : last;
}

SortResult room_for(const Tensor& rows, long k) {
  Shape shape = rows.shape();
  shape[shape.dims() - 1] = k;
  return {Tensor::empty(shape, rows.dtype(), rows.device()), Tensor::empty(shape, i64, rows.device())};
}

}  // namespace

SortResult sort(const Tensor& x, int axis, bool descending) {
  check_defined("sort", x);
  axis = axis_of("sort", axis, x.shape());
  Tensor in = in_rows(x, axis);
  return visit_sorted("sort", in.dtype(), [&](auto tag) {
    using E = decltype(tag);
    SortResult out = room_for(in, in.size(-1));
    kernels::sort_rows<E>(x.device())(out.values.mutable_data<E>(), out.indices.mutable_data<int64_t>(), in.data<E>(),
                                      in.shape().rows(), in.size(-1), descending);
    out.indices.storage()->note_within(0, in.size(-1));
    return shown(out, axis, x.dtype());
  });
}

Tensor argsort(const Tensor& x, int axis, bool descending) { return sort(x, axis, descending).indices; }

SortResult topk(const Tensor& x, long k, int axis, bool largest) {
  check_defined("topk", x);
  axis = axis_of("topk", axis, x.shape());
  HEED_CHECK(0 <= k && k <= x.size(axis), "topk", "k is ", k, " and axis ", axis, " of x, which is ", x.shape(),
             ", has ", x.size(axis), " elements; the rule is 0 <= k <= ", x.size(axis));
  Tensor in = in_rows(x, axis);
  return visit_sorted("topk", in.dtype(), [&](auto tag) {
    using E = decltype(tag);
    SortResult out = room_for(in, k);
    kernels::topk_rows<E>(x.device())(out.values.mutable_data<E>(), out.indices.mutable_data<int64_t>(), in.data<E>(),
                                      {in.shape().rows(), in.size(-1), k}, largest);
    out.indices.storage()->note_within(0, in.size(-1));
    return shown(out, axis, x.dtype());
  });
}

// How many there are is known only afterwards: the sorted values are counted on the host.
UniqueCounts unique_counts(const Tensor& x) {
  check_defined("unique_counts", x);
  HEED_CHECK(is_integer(x.dtype()) || x.dtype() == boolean, "unique_counts", "x is ", x.dtype(),
             "; only integers (i64, i32, u8) and booleans are counted. Cast first: cast(x, i64)");
  Tensor sorted = to(sort(cast(flatten(x), i64)).values, cpu);
  const int64_t* value = sorted.data<int64_t>();
  long different = 0;
  for (long i = 0; i < sorted.numel(); i++) different += i == 0 || value[i] != value[i - 1];
  Tensor values = Tensor::empty({different}, i64), counts = Tensor::empty({different}, i64);
  int64_t *v = values.mutable_data<int64_t>(), *c = counts.mutable_data<int64_t>();
  long at = -1;
  for (long i = 0; i < sorted.numel(); i++) {
    if (i == 0 || value[i] != value[i - 1]) v[++at] = value[i], c[at] = 0;
    c[at]++;
  }
  return {to(cast(values, x.dtype()), x.device()), to(counts, x.device())};
}

}  // namespace heed
