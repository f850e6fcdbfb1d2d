// The whole elementwise table, line by line: values against a scalar loop, derivatives against central differences.
#include "tensor/elementwise.h"

#include <cmath>
#include <limits>

#include "tensor/copy.h"
#include "tensor/create.h"
#include "tensor/random.h"
#include "tensor/reduce.h"
#include "tensor/views.h"
#include "tests/close.h"

using namespace heed;

namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN(), kInf = std::numeric_limits<double>::infinity();
// Two compilations of one formula may differ in their last bits (vector code, fused multiply-add).
double rounding(DType dtype) { return dtype == f32 ? 4e-6 : 1e-14; }
// Central differences with step h in double: the error is about h^2 f''' / 6 + 1e-16 / h.
constexpr double kStep = 1e-5, kDifference = 1e-8;

struct Unary {
  const char* name;
  Tensor (*f)(const Tensor& x);
  Tensor (*backward)(const Tensor& dy, const Tensor& x, const Tensor& y);
  Saves saves;
  double (*scalar)(double);
};
struct Binary {
  const char* name;
  Tensor (*f)(const Tensor& a, const Tensor& b);
  Tensor (*with_number)(const Tensor& a, double b);
  Tensor (*of_number)(double a, const Tensor& b);
  Tensor (*da)(const Tensor& dy, const Tensor& a, const Tensor& b, const Tensor& y);
  Tensor (*db)(const Tensor& dy, const Tensor& a, const Tensor& b, const Tensor& y);
  Saves saves;
  double (*scalar)(double, double);
};

#define LINE(name, saves, ...) {#name, name, name##_backward, Saves::saves, ops::name##_op::f<double>},
const Unary kUnary[] = {HEED_UNARY_TABLE(LINE)};
#undef LINE
#define LINE(name, saves, ...) \
  {#name, name, name, name, name##_backward_a, name##_backward_b, Saves::saves, ops::name##_op::f<double>},
const Binary kBinary[] = {HEED_BINARY_TABLE(LINE)};
#undef LINE

// Away from 0, where relu has a corner; of both signs where the op is defined there.
Tensor inputs(const Unary& op, const Shape& shape, DType dtype = f64) {
  const Tensor x = uniform(shape, {.seed = 5}, 0.2, 3, dtype);
  return std::isnan(op.scalar(-1)) ? x : x * (uniform(shape, {.seed = 6}, 0, 1, dtype) - 0.5);
}

Tensor map(const Tensor& x, FunctionRef<double(double)> f) {
  std::vector<double> values = x.to_vector<double>();
  for (double& value : values) value = f(value);
  return from_vector(values, x.shape());
}

Tensor zip(const Tensor& a, const Tensor& b, FunctionRef<double(double, double)> f) {
  const Shape shape = broadcast("zip", a.shape(), b.shape());
  std::vector<double> x = expand(a, shape).to_vector<double>(), y = expand(b, shape).to_vector<double>();
  for (size_t i = 0; i < x.size(); i++) x[i] = f(x[i], y[i]);
  return from_vector(x, shape);
}

Tensor if_needed(bool needed, const Tensor& x) { return needed ? x : Tensor(); }

}  // namespace

BOOST_AUTO_TEST_SUITE(elementwise_test)

BOOST_AUTO_TEST_CASE(unary_ops_equal_a_scalar_loop_in_any_layout) {
  for (const Unary& op : kUnary)
    for (DType dtype : {f32, f64}) {
      BOOST_TEST_INFO_SCOPE(op.name);
      const Tensor x = inputs(op, {4, 5, 6}, dtype);
      for (const Tensor& view : {x, transpose(x), permute(x, {2, 0, 1}), slice(x, 1, 0, 5, 2), slice(x, 2, 1, 2),
                                 expand(slice(x, 0, 1, 2), {3, 5, 6}), select(select(select(x, 0, 1), 0, 1), 0, 1),
                                 slice(x, 0, 2, 2), inputs(op, {70001}, dtype)}) {
        const Tensor y = op.f(view);
        BOOST_TEST(y.dtype() == dtype);
        check_close(y, map(view, op.scalar), rounding(dtype));
      }
    }
}

BOOST_AUTO_TEST_CASE(unary_derivatives_equal_central_differences) {
  for (const Unary& op : kUnary)
    for (const Tensor& x : {inputs(op, {6, 7}), transpose(inputs(op, {6, 7}))}) {
      BOOST_TEST_INFO_SCOPE(op.name);
      const Tensor dy = noise(x.shape()), y = op.f(x);
      const Tensor dx = op.backward(dy, if_needed(op.saves == Saves::x, x), if_needed(op.saves == Saves::y, y));
      auto slope = [&](double at) { return (op.scalar(at + kStep) - op.scalar(at - kStep)) / (2 * kStep); };
      check_close(dx, dy * map(x, slope), kDifference);
    }
}

BOOST_AUTO_TEST_CASE(binary_ops_broadcast_in_any_layout) {
  for (const Binary& op : kBinary)
    for (DType dtype : {f32, f64}) {
      BOOST_TEST_INFO_SCOPE(op.name);
      const Tensor x = noise({3, 4, 5}, 1, dtype), z = noise({3, 4, 5}, 2, dtype);
      struct {
        Tensor a, b;
      } table[] = {{x, z},
                   {x, select(z, 0, 1)},
                   {slice(x, 1, 0, 1), slice(z, 2, 3, 4)},
                   {transpose(x), transpose(z)},
                   {permute(x, {2, 1, 0}), slice(permute(z, {2, 1, 0}), 0, 2, 3)},
                   {select(select(select(x, 0, 0), 0, 0), 0, 0), z},
                   {slice(x, 0, 1, 1), select(z, 0, 0)},  // empty
                   {noise({257, 129}, 3, dtype), noise({129}, 4, dtype)}};
      for (const auto& [a, b] : table) {
        check_close(op.f(a, b), zip(a, b, op.scalar), rounding(dtype));
        check_close(op.f(b, a), zip(b, a, op.scalar), rounding(dtype));
      }
    }
}

BOOST_AUTO_TEST_CASE(a_number_is_a_tensor_of_one_element) {
  for (const Binary& op : kBinary) {
    BOOST_TEST_INFO_SCOPE(op.name);
    const Tensor x = noise({3, 4}, 1, f32), two = scalar(2);
    BOOST_TEST(same_bits(op.with_number(x, 2), op.f(x, two)));
    BOOST_TEST(same_bits(op.of_number(2, x), op.f(two, x)));
  }
}

BOOST_AUTO_TEST_CASE(binary_derivatives_equal_central_differences) {
  for (const Binary& op : kBinary) {
    BOOST_TEST_INFO_SCOPE(op.name);
    const Tensor a = noise({3, 4}, 1) + 4.0, b = transpose(noise({4, 1}, 2)) + 3.0, y = op.f(a, b),
                 dy = noise({3, 4}, 3);
    const Tensor save_a = if_needed(op.saves == Saves::ab, a), save_y = if_needed(op.saves == Saves::by, y);
    const Tensor save_b = if_needed(op.saves == Saves::ab || op.saves == Saves::by, b);
    auto slope_a = [&](double u, double v) {
      return (op.scalar(u + kStep, v) - op.scalar(u - kStep, v)) / (2 * kStep);
    };
    auto slope_b = [&](double u, double v) {
      return (op.scalar(u, v + kStep) - op.scalar(u, v - kStep)) / (2 * kStep);
    };
    check_close(op.da(dy, save_a, save_b, save_y), dy * zip(a, b, slope_a), kDifference);
    check_close(op.db(dy, save_a, save_b, save_y), dy * zip(a, b, slope_b), kDifference);
  }
}

BOOST_AUTO_TEST_CASE(a_gradient_that_passes_through_is_not_copied) {
  const Tensor dy = noise({3});
  BOOST_TEST(add_backward_a(dy, {}, {}, {}).storage() == dy.storage());
  BOOST_TEST(sub_backward_a(dy, {}, {}, {}).storage() == dy.storage());
}

BOOST_AUTO_TEST_CASE(nan_passes_through_relu_and_maximum) {
  for (DType dtype : {f32, f64}) {
    const Tensor nan = full({40}, kNan, dtype), one = ones({40}, dtype);
    for (const Tensor& y : {relu(nan), maximum(nan, one), maximum(one, nan), maximum(nan, nan)}) check_close(y, nan, 0);
  }
}

BOOST_AUTO_TEST_CASE(extremes_give_limits_and_not_nan) {
  const Tensor x = tensor({-kInf, -1e4, 1e4, kInf}, f64);
  check_close(exp(x), tensor({0, 0, kInf, kInf}, f64), 0);
  check_close(tanh(x), tensor({-1, -1, 1, 1}, f64), 0);
  check_close(sigmoid(x), tensor({0, 0, 1, 1}, f64), 0);
  check_close(relu(x), tensor({0, 0, 1e4, kInf}, f64), 0);
  check_close(gelu(slice(x, 0, 1, 4)), tensor({0, 1e4, kInf}, f64), 0);
  check_close(log(tensor({0, -1, kInf}, f64)), tensor({-kInf, kNan, kInf}, f64), 0);
  check_close(tensor({1, -1, 0}, f64) / 0.0, tensor({kInf, -kInf, kNan}, f64), 0);
}

BOOST_AUTO_TEST_CASE(of_equal_elements_the_gradient_of_maximum_goes_to_one_side) {
  const Tensor a = tensor({1, 2, 3}), b = tensor({2, 2, 2}), dy = ones({3});
  check_close(maximum_backward_a(dy, a, b, {}) + maximum_backward_b(dy, a, b, {}), dy, 0);
}

BOOST_AUTO_TEST_CASE(operators_are_the_named_ops) {
  const Tensor a = noise({2, 3}, 1), b = noise({3}, 2);
  for (const auto& [got, want] : {std::pair(a + b, add(a, b)),
                                  {a - b, sub(a, b)},
                                  {a * b, mul(a, b)},
                                  {a / b, div(a, b)},
                                  {-a, neg(a)},
                                  {a + 2.0, add(a, 2.0)},
                                  {2.0 - a, sub(2.0, a)},
                                  {a * 2.0, a + a},
                                  {1.0 / a, div(1.0, a)},
                                  {2.0 * a, a * 2.0},
                                  {a - 1.0, sub(a, 1.0)},
                                  {1.0 + a, a + 1.0},
                                  {a / 2.0, div(a, 2.0)}})
    BOOST_TEST(same_bits(got, want));
}

BOOST_AUTO_TEST_CASE(add_into_adds_in_place_through_views) {
  for (DType dtype : {f32, f64}) {
    Tensor y = ones({4, 6}, dtype), part = slice(transpose(y), 0, 0, 6, 3);  // (2, 4)
    add_into(part, tensor({1, 2, 3, 4}, dtype));
    const Tensor want = ones({4, 6}, dtype);
    for (long i = 0; i < 4; i++)
      for (long j : {0, 3}) fill(select(select(want, 0, i), 0, j), double(i + 2));
    check_close(y, want, 0);
  }
  add_into(zeros({0, 3}), ones({3}));
}

BOOST_AUTO_TEST_CASE(add_into_reads_an_overlapping_term_first) {
  Tensor x = cast(arange(400 * 400), f32), square = reshape(x, {400, 400});
  const Tensor want = square + transpose(square);
  add_into(square, transpose(square));
  check_close(square, want, 0);
  Tensor twice = ones({5});
  add_into(twice, twice);
  check_close(twice, full({5}, 2), 0);
}

BOOST_AUTO_TEST_SUITE_END()
