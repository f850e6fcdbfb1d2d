#include "tensor/ops/matmul.h"

#include <algorithm>
#include <limits>

#include "tensor/copy.h"
#include "tensor/create.h"
#include "tensor/ops/elementwise.h"
#include "tensor/ops/reduce.h"
#include "tensor/views.h"

namespace heed {
namespace {

constexpr long kMost = std::numeric_limits<int>::max();  // BLAS counts in 32 bits

struct Matrix {
  Tensor x;
  bool transposed;
  long row;  // elements between two rows in memory
};

// BLAS reads a matrix whose rows, or whose columns, lie densely in memory. Anything else is copied.
Matrix readable(const Tensor& x) {
  long rows = x.size(-2), cols = x.size(-1);
  long row_step = x.strides()[x.dims() - 2], col_step = x.strides()[x.dims() - 1];
  if (std::max(row_step, col_step) > kMost) return {contiguous(x), false, std::max(1L, cols)};
  if ((cols <= 1 || col_step == 1) && (rows <= 1 || row_step >= cols))
    return {x, false, std::max(1L, rows <= 1 ? cols : row_step)};
  if ((rows <= 1 || row_step == 1) && (cols <= 1 || col_step >= rows))
    return {x, true, std::max(1L, cols <= 1 ? rows : col_step)};
  return {contiguous(x), false, std::max(1L, cols)};
}

// Do the rows of all matrices lie at one distance, so that they can be seen as one tall matrix without a copy?
bool rows_follow(const Tensor& x) {
  long next = 0;  // how far the next axis must step; 0: as it likes
  for (int i = x.dims() - 2; i >= 0; i--) {
    if (x.shape()[i] == 1) continue;
    if (next != 0 && x.strides()[i] != next) return false;
    next = x.strides()[i] * x.shape()[i];
  }
  return true;
}

Tensor widened(const Tensor& x) { return is_storage(x.dtype()) ? cast(x, f32) : x; }

void check_matmul(const Tensor& a, const Tensor& b) {
  check_same_kind("matmul", a, b);
  HEED_CHECK(a.dims() >= 2 && b.dims() >= 2, "matmul", "a is ", a.shape(), " and b is ", b.shape(),
             "; both need at least 2 dimensions. Did you mean unsqueeze(x, 0)?");
  bool b_transposed = a.size(-1) != b.size(-2) && a.size(-1) == b.size(-1);
  HEED_CHECK(a.size(-1) == b.size(-2), "matmul", "a is ", a.shape(), " and b is ", b.shape(),
             "; a's last size must equal b's second last (", a.size(-1), " != ", b.size(-2), ").",
             b_transposed ? " Did you mean matmul(a, transpose(b))?" : "");
  HEED_CHECK(a.size(-2) <= kMost && a.size(-1) <= kMost && b.size(-1) <= kMost, "matmul", "a is ", a.shape(),
             " and b is ", b.shape(), "; a matrix has at most ", kMost, " rows and columns. Cut it with slice");
  for (int i = -3; i >= -std::min(a.dims(), b.dims()); i--)
    HEED_CHECK(a.size(i) == b.size(i) || a.size(i) == 1 || b.size(i) == 1, "matmul", "a is ", a.shape(), " and b is ",
               b.shape(),
               "; the axes before the last two do not broadcast: sizes aligned at the right must be equal or 1 (",
               a.size(i), " != ", b.size(i), ")");
}

Shape batch_of(const Tensor& x) {
  Shape batch = x.shape();
  batch.erase(batch.dims() - 1);
  batch.erase(batch.dims() - 1);
  return batch;
}

// The strides of x's batch axes as seen from the common batch shape.
Strides batch_strides(const Tensor& x, const Shape& batch) {
  Strides strides = Strides::filled(batch.dims(), 0);
  int own = x.dims() - 2, shift = batch.dims() - own;
  for (int i = 0; i < own; i++)
    if (x.shape()[i] != 1) strides[i + shift] = x.strides()[i];
  return strides;
}

// c = a b + bias by the kernel for their types
void run(const Tensor& c, const Tensor& a, const Tensor& b, const Tensor& bias, const MatmulLayout& layout) {
  const Device device = a.device();
  const double flops = 2.0 * double(c.numel()) * double(layout.k);
  const auto room = [&](long wanted) { return wanted ? Tensor::empty({wanted}, u8, device) : Tensor(); };
  if (a.dtype() == bf16) {
    const Tensor workspace = room(kernels::matmul_bf16_workspace_bytes(device)(layout));
    return kernels::matmul_bf16(device, flops)(c.mutable_data<float>(), a.data<BFloat16>(), b.data<BFloat16>(),
                                               data_or_null<float>(bias), layout, mutable_or_null<uint8_t>(workspace));
  }
  visit_maths("matmul", a.dtype(), [&](auto tag) {
    using E = decltype(tag);
    const Tensor workspace = room(kernels::matmul_workspace_bytes<E>(device)(layout));
    kernels::matmul<E>(device, flops)(c.mutable_data<E>(), a.data<E>(), b.data<E>(), data_or_null<E>(bias), layout,
                                      mutable_or_null<uint8_t>(workspace));
  });
}

// a b, and the bias (N,) added to every row where there is one
Tensor product(const Tensor& given, const Tensor& b, const Tensor& bias) {
  const bool tall = b.dims() == 2 && given.dims() > 2 && given.numel() > 0 && rows_follow(given);
  const Tensor a = tall ? reshape(given, {given.shape().rows(), given.size(-1)}) : given;  // not many small products
  const Shape batch = a.dims() + b.dims() == 4 ? Shape() : broadcast("matmul", batch_of(a), batch_of(b));
  Shape shape = given.shape();
  if (!tall) shape = batch, shape.push_back(a.size(-2)), shape.push_back(0);
  shape[shape.dims() - 1] = b.size(-1);
  const Tensor c = Tensor::empty(shape, is_storage(a.dtype()) ? f32 : a.dtype(), a.device());
  const Matrix left = readable(a), right = readable(b);
  const MatmulLayout layout{.m = a.size(-2),
                            .n = b.size(-1),
                            .k = a.size(-1),
                            .a_transposed = left.transposed,
                            .b_transposed = right.transposed,
                            .a_row = left.row,
                            .b_row = right.row,
                            .batch = batch,
                            .a_batch = batch_strides(left.x, batch),
                            .b_batch = batch_strides(right.x, batch)};
  if (c.numel() == 0) return c;
  if (layout.k == 0) {
    fill(c, 0);
    if (bias.defined()) add_into(c, bias);
    return c;
  }
  run(c, left.x, right.x, bias, layout);
  return c;
}

void check_linear(const Tensor& x, const Tensor& w, const Tensor& b) {
  check_same_kind("linear", x, w);
  HEED_CHECK(x.dims() >= 1 && w.dims() == 2 && x.size(-1) == w.size(1), "linear", "x is ", x.shape(), " and w is ",
             w.shape(), "; with x (..., in) w must be (out, in)");
  HEED_CHECK(is_maths(x.dtype()) || x.dtype() == bf16, "linear", "x and w are ", x.dtype(),
             "; they must be f32, f64 or bf16. Cast first: cast(x, f32)");
  if (!b.defined()) return;
  if (x.dtype() != bf16) check_same_kind("linear", x, b);
  HEED_CHECK(b.device() == x.device() && (x.dtype() != bf16 || b.dtype() == f32), "linear", "x is bf16 on ", x.device(),
             " and b is ", b.dtype(), " on ", b.device(), "; b must be f32, and beside x");
  HEED_CHECK(b.shape() == Shape{w.size(0)}, "linear", "w is ", w.shape(), " and b is ", b.shape(),
             "; with w (out, in) b must be (out,)");
}

}  // namespace

Tensor matmul(const Tensor& a_given, const Tensor& b_given) {
  check_defined("matmul", a_given);
  check_defined("matmul", b_given);
  const bool narrow = a_given.dtype() == bf16 && b_given.dtype() == bf16;
  const Tensor a = narrow ? a_given : widened(a_given), b = narrow ? b_given : widened(b_given);
  check_matmul(a, b);
  return product(a, b, {});
}

Tensor linear(const Tensor& x, const Tensor& w, const Tensor& b) {
  check_linear(x, w, b);
  const Tensor bias = contiguous_or_none(b);
  if (x.dims() == 1) return reshape(product(unsqueeze(x, 0), transpose(w), bias), {w.size(0)});
  return product(x, transpose(w), bias);
}

Tensor matmul_backward_a(const Tensor& dy, const Tensor& b, const Shape& a_shape) {
  return sum_to(matmul(dy, transpose(b)), a_shape);
}

Tensor matmul_backward_b(const Tensor& dy, const Tensor& a, const Shape& b_shape) {
  if (b_shape.dims() == 2 && a.dims() > 2 && a.numel() > 0 && dy.numel() > 0)  // sums over the batch by itself
    return matmul(transpose(reshape(a, {-1, a.size(-1)})), reshape(dy, {-1, dy.size(-1)}));
  return sum_to(matmul(transpose(a), dy), b_shape);
}

Tensor matmul_reference(const Tensor& a, const Tensor& b) {
  check_matmul(a, b);
  HEED_CHECK(a.dims() == 2 && b.dims() == 2, "matmul_reference", "a is ", a.shape(), " and b is ", b.shape(),
             "; both must have 2 dimensions");
  return visit_maths("matmul", a.dtype(), [&](auto tag) {
    using E = decltype(tag);
    Tensor c = zeros({a.size(0), b.size(1)}, a.dtype()), left = contiguous(a), right = contiguous(b);
    const E *pa = left.data<E>(), *pb = right.data<E>();
    E* pc = c.mutable_data<E>();
    long m = a.size(0), k = a.size(1), n = b.size(1);
    for (long i = 0; i < m; i++)
      for (long p = 0; p < k; p++)
        for (long j = 0; j < n; j++) pc[i * n + j] += pa[i * k + p] * pb[p * n + j];
    return c;
  });
}

}  // namespace heed
