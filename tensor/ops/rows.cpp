#include "tensor/ops/rows.h"

#include "tensor/copy.h"
#include "tensor/create.h"
#include "tensor/ops/compare.h"
#include "tensor/ops/elementwise.h"
#include "tensor/ops/gather.h"
#include "tensor/ops/indices.h"
#include "tensor/ops/scatter.h"
#include "tensor/ops/where.h"
#include "tensor/views.h"

namespace heed {
namespace {

// The sizes of x (..., rows, C) in front of its matrices
Shape lead_of(const Shape& x) {
  Shape lead;
  for (int i = 0; i + 2 < x.dims(); i++) lead.push_back(x[i]);
  return lead;
}

void check_index(const char* op, const Tensor& x, const Tensor& index) {
  check_defined(op, x);
  check_defined(op, index);
  HEED_CHECK(x.dims() >= 2 && index.dims() == x.dims() - 1 && index.dtype() == i32, op, "x is ", x.shape(),
             " and the index is ", index.dtype(), " ", index.shape(),
             "; they must be (..., rows, C) and i32 (..., P), one index for every row");
  for (int i = 0; i + 2 < x.dims(); i++)
    HEED_CHECK(index.size(i) == x.size(i) || index.size(i) == 1, op, "x is ", x.shape(), " and the index is ",
               index.shape(), "; the sizes in front must be equal, or 1 where one list serves all");
}

RowsLayout layout_of(const Tensor& from, const Tensor& index, long T) {
  RowsLayout s{.T = T, .P = index.size(-1), .C = from.size(-1), .lead = lead_of(from.shape())};
  s.from_row = from.strides()[from.dims() - 2];
  for (int i = 0; i < s.lead.dims(); i++) {
    s.from.push_back(from.strides()[i]);
    s.list.push_back(index.size(i) == 1 ? 0 : index.strides()[i]);
  }
  return s;
}

// An i64 index for every element of (..., P, C), with 0 where there is nobody
Tensor of_elements(const Tensor& index, const Shape& shape) {
  const Tensor present = clamp(cast(index, f64), 0, double(INT32_MAX));
  return contiguous(expand(unsqueeze(cast(present, i64), -1), shape));
}

Tensor without_nobody(const Tensor& y, const Tensor& index) {
  return masked_fill(y, expand(unsqueeze(less(index, 0), -1), y.shape()), 0);
}

Shape with_rows(Shape shape, long rows) {
  shape[shape.dims() - 2] = rows;
  return shape;
}

}  // namespace

Tensor rows_at(const Tensor& x, const Tensor& index) {
  check_index("rows_at", x, index);
  const Tensor from = with_dense_rows(x), list = checked_rows("rows_at", index, x.size(-2), x.device());
  const Tensor y = Tensor::empty(with_rows(x.shape(), index.size(-1)), x.dtype(), x.device());
  const RowsLayout layout = layout_of(from, list, x.size(-2));
  visit(x.dtype(), [&](auto tag) {
    using E = decltype(tag);
    if (y.numel() > 0)
      kernels::rows_at(x.device())(y.mutable_data<E>(), from.data<E>(), list.data<int32_t>(), layout, sizeof(E));
  });
  return y;
}

Tensor rows_added(const Tensor& y, const Tensor& index, long T) {
  check_index("rows_added", y, index);
  HEED_CHECK(y.size(-2) == index.size(-1) && T >= 0, "rows_added", "y is ", y.shape(), ", the index is ", index.shape(),
             " and T is ", T, "; every row of y needs its index, and T must be 0 or more");
  const Tensor from = with_dense_rows(y), list = checked_rows("rows_added", index, T, y.device());
  const Tensor x = zeros(with_rows(y.shape(), T), y.dtype(), y.device());
  visit_maths("rows_added", y.dtype(), [&](auto tag) {
    using E = decltype(tag);
    if (y.numel() > 0)
      kernels::rows_added<E>(y.device())(x.mutable_data<E>(), from.data<E>(), list.data<int32_t>(),
                                         layout_of(from, list, T));
  });
  return x;
}

Tensor rows_at_reference(const Tensor& x, const Tensor& index) {
  const Shape shape = with_rows(x.shape(), index.size(-1));
  if (shape.numel() == 0 || x.numel() == 0) return zeros(shape, x.dtype(), x.device());
  return without_nobody(gather(x, -2, of_elements(index, shape)), index);
}

Tensor rows_added_reference(const Tensor& y, const Tensor& index, long T) {
  const Tensor x = zeros(with_rows(y.shape(), T), y.dtype(), y.device());
  if (x.numel() == 0 || y.numel() == 0) return x;
  return scatter_add(x, -2, of_elements(index, y.shape()), without_nobody(y, index));
}

}  // namespace heed
