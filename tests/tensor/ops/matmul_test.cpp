#include "autograd/ops/matmul.h"

#include "autograd/gradcheck.h"
#include "autograd/ops/views.h"
#include "tensor/allocator.h"
#include "tensor/copy.h"
#include "tensor/create.h"
#include "tensor/ops/elementwise.h"
#include "tensor/ops/reduce.h"
#include "tensor/views.h"
#include "tests/support/compare.h"

using namespace heed;

namespace {

// Sums of up to a thousand products of normal numbers in another order than the reference.
double rounding(DType dtype) { return dtype == f32 ? 2e-4 : 1e-12; }

// The definition for any batch: matrix by matrix.
Tensor reference(const Tensor& a, const Tensor& b) {
  if (a.dims() == 2 && b.dims() == 2) return matmul_reference(a, b);
  auto batch = [](Shape s) { return s.erase(s.dims() - 1), s.erase(s.dims() - 1), s; };
  Shape shape = broadcast("reference", batch(a.shape()), batch(b.shape())), of_a = shape, of_b = shape, of_c = shape;
  of_a.push_back(a.size(-2)), of_a.push_back(a.size(-1)), of_b.push_back(b.size(-2)), of_b.push_back(b.size(-1));
  of_c.push_back(a.size(-2)), of_c.push_back(b.size(-1));
  const Tensor c = zeros(of_c, a.dtype()), left = expand(a, of_a), right = expand(b, of_b);
  for_each_index(shape, [&](const Shape& index) {
    Tensor x = left, y = right, z = c;
    for (long i : index) x = select(x, 0, i), y = select(y, 0, i), z = select(z, 0, i);
    copy_into(z, matmul_reference(x, y));
  });
  return c;
}

void check_product(const Tensor& a, const Tensor& b) {
  BOOST_TEST_INFO_SCOPE("a " << a.shape() << " " << a.strides() << " b " << b.shape() << " " << b.strides());
  check_close(matmul(a, b), reference(a, b), rounding(a.dtype()));
}

// The bytes that f takes at most, beyond those of before.
size_t peak_of(FunctionRef<void()> f) {
  reset_peak();
  const size_t before = memory_stats().live;
  f();
  return memory_stats().peak - before;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(matmul_test)

BOOST_AUTO_TEST_CASE(products_of_all_shapes_equal_the_definition) {
  const Shape sizes[] = {{1, 1, 1},   {1, 7, 1},     {5, 1, 3},    {2, 3, 4},      {17, 31, 13},  {33, 257, 100},
                         {1, 409, 7}, {2053, 3, 31}, {3, 2, 2100}, {130, 64, 129}, {600, 20, 90}, {64, 65, 700}};
  for (DType dtype : {f32, f64})
    for (const Shape& s : sizes) check_product(noise({s[0], s[1]}, 1, dtype), noise({s[1], s[2]}, 2, dtype));
}

BOOST_AUTO_TEST_CASE(transposed_operands_are_read_in_place) {
  for (DType dtype : {f32, f64}) {
    const Tensor a = noise({96, 200}, 1, dtype), b = noise({200, 130}, 2, dtype);
    const Tensor a_t = contiguous(transpose(a)), b_t = contiguous(transpose(b)), want = matmul(a, b);
    const size_t result = size_t(96 * 130 * size_of(dtype));
    for (const Tensor& left : {a, transpose(a_t)})
      for (const Tensor& right : {b, transpose(b_t)}) {
        Tensor c;
        BOOST_TEST(peak_of([&] { c = matmul(left, right); }) <= result + result / 8);
        check_close(c, want, rounding(dtype));
      }
  }
}

BOOST_AUTO_TEST_CASE(batched_transposed_and_sliced_operands_are_read_in_place) {
  const Tensor x = noise({4, 64, 3, 2, 32}), q = permute(select(x, 2, 0), {0, 2, 1, 3});  // (4, 2, 64, 32)
  const Tensor k = permute(select(x, 2, 1), {0, 2, 1, 3}), w = noise({64, 40}, 2),
               transposed = transpose(noise({4, 64, 30}));
  const size_t scores = 4 * 2 * 64 * 64 * 8, tall = 4 * 30 * 40 * 8;
  BOOST_TEST(peak_of([&] { matmul(q, transpose(k)); }) <= scores + scores / 8);
  BOOST_TEST(peak_of([&] { matmul(transposed, w); }) <= tall + tall / 8);
  check_product(q, transpose(k));
  check_product(transposed, w);
}

BOOST_AUTO_TEST_CASE(batches_broadcast_on_either_side) {
  const Shape cases[][2] = {
      {{3, 4, 5}, {3, 5, 6}},       {{3, 4, 5}, {5, 6}},          {{4, 5}, {3, 5, 6}},    {{1, 4, 5}, {3, 5, 6}},
      {{2, 1, 4, 5}, {3, 5, 6}},    {{2, 3, 4, 5}, {2, 1, 5, 6}}, {{2, 3, 1, 5}, {5, 1}}, {{9, 2, 30, 40}, {2, 40, 50}},
      {{2, 2, 2, 2, 2, 3}, {3, 2}}, {{1, 1, 1}, {1, 1}},          {{7, 1, 5}, {5, 6}}};
  for (const auto& [a, b] : cases) check_product(noise(a, 1), noise(b, 2));
  check_product(noise({2, 3, 4, 33}), transpose(noise({3, 50, 33}, 2)));  // few rows, transposed weights
}

BOOST_AUTO_TEST_CASE(any_strides_give_the_same_product) {
  const Tensor x = noise({6, 8, 10}), w = noise({10, 12}, 2);
  for (const Tensor& a : {slice(x, 2, 0, 10, 2), slice(x, 1, 0, 8, 3), slice(x, 2, 3, 8), slice(x, 0, 1, 6, 2),
                          slice(transpose(x), 1, 0, 10, 2), permute(x, {1, 2, 0}), permute(x, {2, 0, 1}),
                          expand(slice(x, 1, 2, 3), {6, 7, 10}), expand(slice(x, 2, 2, 3), {6, 8, 9}),
                          expand(slice(x, 0, 2, 3), {4, 8, 10}), select(x, 1, 3), slice(x, 1, 4, 5)}) {
    check_product(a, noise({a.size(-1), 5}, 3));
    check_product(noise({5, a.size(-2)}, 3), a);
    check_product(a, transpose(a));
    check_product(transpose(a), a);
  }
  check_product(Tensor::view(w, {4, 5}, {-12, -1}, 119), noise({5, 3}, 3));  // backwards
  check_product(Tensor::view(w, {4, 5}, {1, 1}, 0), noise({5, 3}, 3));       // rows that overlap
}

BOOST_AUTO_TEST_CASE(empty_products_are_zero_or_empty) {
  const Shape cases[][3] = {
      {{3, 0}, {0, 4}, {3, 4}},          {{0, 5}, {5, 4}, {0, 4}},          {{3, 5}, {5, 0}, {3, 0}},
      {{2, 3, 0}, {0, 4}, {2, 3, 4}},    {{2, 3, 0}, {2, 0, 4}, {2, 3, 4}}, {{0, 3, 5}, {5, 4}, {0, 3, 4}},
      {{0, 3, 5}, {1, 5, 4}, {0, 3, 4}}, {{0, 0}, {0, 0}, {0, 0}},          {{2, 0, 5}, {5, 4}, {2, 0, 4}}};
  for (const auto& [a, b, c] : cases) {
    for (int round = 0; round < 2; round++) full(c, 7);  // so that fresh memory is not zero by chance
    check_close(matmul(ones(a), ones(b)), zeros(c), 0);
    const Tensor dy = ones(c);
    check_close(matmul_backward_a(dy, ones(b), a), zeros(a) + matmul_backward_a(dy, ones(b), a), 0);
    BOOST_TEST(matmul_backward_b(dy, ones(a), b).shape() == b);
  }
  check_close(matmul_backward_b(ones({0, 3, 4}), ones({0, 3, 5}), {5, 4}), zeros({5, 4}), 0);
}

BOOST_AUTO_TEST_CASE(bf16_is_multiplied_by_its_own_kernel_in_any_layout) {
  const Tensor a = cast(noise({2, 3, 40, 50}), bf16), b = cast(noise({3, 50, 60}, 2), bf16);
  constexpr double kOrder = 1e-6;  // another layout, another order of sums
  const auto check = [](const Tensor& x, const Tensor& y) {
    const Tensor product = matmul(x, y);
    BOOST_TEST(product.dtype() == f32);
    check_close(product, matmul(cast(x, f32), cast(y, f32)), kOrder);
  };
  check(a, b);
  check(transpose(b), transpose(a));
  check(slice(a, 3, 3, 9), slice(b, 1, 3, 9));
  check(select(select(a, 0, 1), 0, 2), slice(b, 0, 1, 2));
  check(slice(a, 2, 0, 40, 2), select(b, 0, 0));
}

BOOST_AUTO_TEST_CASE(bf16_and_f16_are_widened) {
  const Tensor a = noise({9, 20}, 1, f32), b = noise({20, 7}, 2, f32);
  for (DType type_a : {bf16, f16, f32})
    for (DType type_b : {bf16, f16, f32}) {
      const Tensor x = cast(a, type_a), y = cast(b, type_b), c = matmul(x, y);
      BOOST_TEST(c.dtype() == f32);
      BOOST_TEST(same_bits(c, matmul(cast(x, f32), cast(y, f32))));
    }
}

BOOST_AUTO_TEST_CASE(gradients_are_the_transposed_products) {
  const Shape cases[][2] = {{{4, 5}, {5, 6}},       {{3, 4, 5}, {5, 6}},       {{4, 5}, {3, 5, 6}},
                            {{3, 4, 5}, {1, 5, 6}}, {{2, 1, 4, 5}, {3, 5, 6}}, {{2, 3, 4, 5}, {5, 6}}};
  for (const auto& [a_shape, b_shape] : cases) {
    const Tensor a = noise(a_shape, 1), b = noise(b_shape, 2), dy = noise(matmul(a, b).shape(), 3);
    const Tensor da = matmul_backward_a(dy, b, a_shape), db = matmul_backward_b(dy, a, b_shape);
    // y is linear in each: <dy, matmul(u, b)> = <da, u> for any u
    const Tensor u = noise(a_shape, 4), v = noise(b_shape, 5);
    check_close(sum(da * u), sum(dy * matmul(u, b)), 1e-11);
    check_close(sum(db * v), sum(dy * matmul(a, v)), 1e-11);
    BOOST_TEST(same_bits(db, matmul_backward_b(dy, a, b_shape)));
    const Tensor transposed = transpose(contiguous(transpose(a)));
    check_close(matmul_backward_b(dy, transposed, b_shape), db, 1e-12);
  }
}

BOOST_AUTO_TEST_CASE(nan_and_infinity_reach_the_result) {
  const Tensor a = ones({3, 4}), b = ones({4, 2});
  fill(select(select(a, 0, 1), 0, 2), std::nan(""));
  fill(select(select(b, 0, 0), 0, 1), 1.0 / 0.0);
  const double nan = std::nan(""), inf = 1.0 / 0.0;
  check_close(matmul(a, b), tensor({4, inf, nan, nan, 4, inf}, {3, 2}), 0);
}

BOOST_AUTO_TEST_CASE(matmul_passes_gradcheck) {
  const struct {
    Shape a, b;
  } table[] = {{{3, 5}, {5, 2}},        // two matrices
               {{2, 3, 5}, {2, 5, 2}},  // a batch
               {{2, 3, 5}, {5, 2}},     // b is broadcast
               {{3, 5}, {2, 2, 5, 3}},  // a is broadcast
               {{3, 0}, {0, 2}}};
  for (const auto& row : table)
    BOOST_CHECK_NO_THROW(gradcheck([](auto& x) { return matmul(x[0], x[1]); }, {noise(row.a), noise(row.b, 2)}));
  BOOST_CHECK_NO_THROW(
      gradcheck([](auto& x) { return matmul(transpose(x[0]), transpose(x[1])); }, {noise({5, 3}), noise({2, 5}, 2)}));
}

BOOST_AUTO_TEST_CASE(linear_passes_gradcheck_with_and_without_a_bias) {
  BOOST_CHECK_NO_THROW(
      gradcheck([](auto& x) { return linear(x[0], x[1], x[2]); }, {noise({2, 3, 5}), noise({4, 5}, 2), noise({4}, 3)}));
  BOOST_CHECK_NO_THROW(gradcheck([](auto& x) { return linear(x[0], x[1], {}); }, {noise({5}), noise({4, 5}, 2)}));
}

BOOST_AUTO_TEST_SUITE_END()
