// The example of autograd/README.md, "An op with a kernel of its own": unit_rows with all its parts. Each part is
// headed by the file in which it would stand; here they stand in one, so that the README's text is compiled and run.
#include <cmath>

#include "autograd/gradcheck.h"
#include "tensor/copy.h"
#include "tensor/cpu/simd.h"
#include "tensor/cpu/walk.h"
#include "tensor/create.h"
#include "tensor/kernel.h"
#include "tensor/ops/elementwise.h"
#include "tensor/ops/reduce.h"
#include "tests/support/compare.h"
#include "tests/support/error_of.h"
#include "tests/support/on_threads.h"

namespace heed::example {

// ---- tensor/ops/unit_rows.h: the page a user reads, and the slots

// y = x / |x| along the last axis: rows of length 1. A row of zeros stays zero and takes no gradient.
Tensor unit_rows(const Tensor& x);
// y = x / |x|: dx = (dy - y * sum(y * dy)) / |x|
Tensor unit_rows_backward(const Tensor& dy, const Tensor& x);

// The same from plain ops: the definition.
Tensor unit_rows_reference(const Tensor& x);

// For the backends: all are (rows, C).
namespace kernels {
template <class E> inline Kernel<void(E* y, const E* x, long rows, long C)> unit_rows{"unit_rows"};
template <class E>
inline Kernel<void(E* dx, const E* dy, const E* x, long rows, long C)> unit_rows_backward{"unit_rows"};
}  // namespace kernels

// ---- tensor/ops/unit_rows.cpp: the doors check, allocate and call the kernel

Tensor unit_rows(const Tensor& x) {
  check_defined("unit_rows", x);
  axis_of("unit_rows", -1, x.shape());  // throws for a scalar, which has no rows
  return visit_maths("unit_rows", x.dtype(), [&](auto tag) {
    using E = decltype(tag);
    const Tensor in = contiguous(x), y = Tensor::empty(x.shape(), x.dtype(), x.device());
    kernels::unit_rows<E>(x.device())(y.mutable_data<E>(), in.data<E>(), x.shape().rows(), x.size(-1));
    return y;
  });
}

Tensor unit_rows_backward(const Tensor& dy, const Tensor& x) {
  check_same_kind("unit_rows", dy, x);
  HEED_CHECK(dy.shape() == x.shape(), "unit_rows", "dy is ", dy.shape(), " and x is ", x.shape(),
             "; they must be equal");
  return visit_maths("unit_rows", x.dtype(), [&](auto tag) {
    using E = decltype(tag);
    const Tensor given = contiguous(dy), in = contiguous(x), dx = Tensor::empty(x.shape(), x.dtype(), x.device());
    kernels::unit_rows_backward<E>(x.device())(dx.mutable_data<E>(), given.data<E>(), in.data<E>(), x.shape().rows(),
                                               x.size(-1));
    return dx;
  });
}

Tensor unit_rows_reference(const Tensor& x) { return x / sqrt(sum(x * x, {-1}, true)); }

// ---- tensor/cpu/unit_rows.cpp: the kernels, one row after the other

namespace {

// 1 / |x| of one row (C); 0 for a row of zeros
template <class E> E over_length(const E* x, long C) {
  const E squares = sum_vectors<E>(C, [&](long c, auto n) {
    const Vec<E> v = Vec<E>::load(x + c, n);
    return v * v;
  });
  return squares > 0 ? 1 / std::sqrt(squares) : E(0);
}

// y, x (rows, C)
template <class E> void unit_rows_cpu(E* y, const E* x, long rows, long C) {
  parallel_for(rows, rows_grain(C), [&](long begin, long end) {
    for (long i = begin; i < end; i++) {
      const E scale = over_length(x + i * C, C);
      for (long c = 0; c < C; c++) y[i * C + c] = x[i * C + c] * scale;
    }
  });
}

// dx, dy, x (rows, C): dx = (dy - y * sum(y * dy)) / |x| with y = x / |x|
template <class E> void unit_rows_backward_cpu(E* dx, const E* dy, const E* x, long rows, long C) {
  parallel_for(rows, rows_grain(C), [&](long begin, long end) {
    for (long i = begin; i < end; i++) {
      const E *d = dy + i * C, *row = x + i * C, scale = over_length(row, C);
      const E dot =
          scale * sum_vectors<E>(C, [&](long c, auto n) { return Vec<E>::load(row + c, n) * Vec<E>::load(d + c, n); });
      for (long c = 0; c < C; c++) dx[i * C + c] = (d[c] - row[c] * scale * dot) * scale;
    }
  });
}

const OnCpu on_cpu{[]<class E>(auto set) {
  set(kernels::unit_rows<E>, unit_rows_cpu<E>);
  set(kernels::unit_rows_backward<E>, unit_rows_backward_cpu<E>);
}};

}  // namespace

// ---- autograd/ops/unit_rows.h and autograd/ops/unit_rows.cpp: the gradient

Variable unit_rows(const Variable& x);

Variable unit_rows(const Variable& x) {
  return record("unit_rows", unit_rows(x.value()), {x},
                [x = Saved(x)](const Tensor& dy) { return unit_rows_backward(dy, x); });
}

}  // namespace heed::example

// ---- tests/tensor/ops/unit_rows_test.cpp

using namespace heed;
using namespace heed::example;

BOOST_AUTO_TEST_SUITE(unit_rows_test)

BOOST_AUTO_TEST_CASE(equals_the_definition) {
  for (DType dtype : {f32, f64})
    for (const Shape& shape : {Shape{1}, {5}, {3, 5}, {2, 3, 65}, {0, 4}})
      check_close(unit_rows(noise(shape, 1, dtype)), unit_rows_reference(noise(shape, 1, dtype)), 1e-6);
}

BOOST_AUTO_TEST_CASE(passes_gradcheck) {
  for (const Shape& shape : {Shape{5}, {3, 5}, {2, 0, 3}})
    BOOST_CHECK_NO_THROW(gradcheck([](auto& x) { return unit_rows(x[0]); }, {noise(shape)}));
}

BOOST_AUTO_TEST_CASE(a_row_of_zeros_stays_zero_and_takes_no_gradient) {
  check_close(unit_rows(zeros({2, 3})), zeros({2, 3}), 0);
  check_close(unit_rows_backward(ones({2, 3}), zeros({2, 3})), zeros({2, 3}), 0);
}

BOOST_AUTO_TEST_CASE(bits_do_not_depend_on_threads) {
  const Tensor x = noise({1001, 65}, 1, f32), want = unit_rows(x);
  for (int count : {1, 2, 3}) on_threads(count, [&] { BOOST_TEST(same_bits(unit_rows(x), want)); });
}

BOOST_AUTO_TEST_CASE(errors_say_what_is_wrong) {
  BOOST_TEST(error_of([] { unit_rows(cast(zeros({2}), i64)); }) ==
             "unit_rows: x is i64; maths is done in f32 or f64. Cast first: cast(x, f32)");
  BOOST_TEST(error_of([] { unit_rows_backward(zeros({2}), zeros({3})); }) ==
             "unit_rows: dy is (2,) and x is (3,); they must be equal");
}

BOOST_AUTO_TEST_SUITE_END()
