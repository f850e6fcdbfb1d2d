// The whole elementwise table, line by line: values against a scalar loop, derivatives against central differences.
#include "tensor/ops/elementwise.h"

#include <cmath>
#include <limits>

#include "autograd/gradcheck.h"
#include "autograd/ops/elementwise.h"
#include "tensor/copy.h"
#include "tensor/create.h"
#include "tensor/ops/reduce.h"
#include "tensor/random.h"
#include "tensor/views.h"
#include "tests/support/compare.h"

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

// Away from 0, where some have a corner or a pole; of both signs where the op is defined there.
Tensor inputs(double (*f)(double), const Shape& shape, DType dtype = f64) {
  const Tensor x = uniform(shape, {.seed = 5}, 0.2, 3, dtype);
  return std::isnan(f(-2)) ? x : x * sign(uniform(shape, {.seed = 6}, 0, 1, dtype) - 0.5);
}
Tensor inputs(const Unary& op, const Shape& shape, DType dtype = f64) { return inputs(op.scalar, shape, dtype); }

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

// The table's formulas are written for every x; these are the ones from the textbook, good in the middle.
BOOST_AUTO_TEST_CASE(activations_equal_their_plain_formulas) {
  const Tensor x = tensor({-9, -3, -1, -0.5, -1e-3, 0, 1e-3, 0.5, 1, 3, 9}, f64);
  const struct {
    Tensor got;
    double (*plain)(double);
  } table[] = {{sigmoid(x), [](double v) { return 1 / (1 + std::exp(-v)); }},
               {softplus(x), [](double v) { return std::log(1 + std::exp(v)); }},
               {silu(x), [](double v) { return v / (1 + std::exp(-v)); }},
               {quick_gelu(x), [](double v) { return v / (1 + std::exp(-1.702 * v)); }},
               {gelu(x), [](double v) { return v / 2 * (1 + std::erf(v / std::sqrt(2))); }},
               {gelu_tanh(x),
                [](double v) { return v / 2 * (1 + std::tanh(std::sqrt(2 / M_PI) * (v + 0.044715 * v * v * v))); }},
               {elu(x), [](double v) { return v > 0 ? v : std::exp(v) - 1; }},
               {elu_plus_one(x), [](double v) { return v > 0 ? v + 1 : std::exp(v); }},
               {rsqrt(square(x)), [](double v) { return 1 / std::abs(v); }},
               {reciprocal(x), [](double v) { return 1 / v; }},
               {abs(x) * sign(x), [](double v) { return v; }},
               {log1p(expm1(x)), [](double v) { return v; }}};
  for (const auto& [got, plain] : table) check_close(got, map(x, plain), 1e-12);
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

BOOST_AUTO_TEST_CASE(nan_stays_nan) {
  for (DType dtype : {f32, f64}) {
    const Tensor nan = full({40}, kNan, dtype), one = ones({40}, dtype);
    for (const Unary& op : kUnary) BOOST_TEST_CONTEXT(op.name) check_close(op.f(nan), nan, 0);
    for (const Tensor& y : {maximum(nan, one), maximum(one, nan), maximum(nan, nan), minimum(nan, one),
                            minimum(one, nan), minimum(nan, nan), pow(nan, one)})
      check_close(y, nan, 0);
  }
}

BOOST_AUTO_TEST_CASE(extremes_give_limits_and_not_nan) {
  const Tensor x = tensor({-kInf, -1e4, 1e4, kInf}, f64);
  check_close(exp(x), tensor({0, 0, kInf, kInf}, f64), 0);
  check_close(tanh(x), tensor({-1, -1, 1, 1}, f64), 0);
  check_close(sigmoid(x), tensor({0, 0, 1, 1}, f64), 0);
  check_close(relu(x), tensor({0, 0, 1e4, kInf}, f64), 0);
  for (auto gate : {static_cast<Tensor (*)(const Tensor&)>(gelu), static_cast<Tensor (*)(const Tensor&)>(gelu_tanh),
                    static_cast<Tensor (*)(const Tensor&)>(quick_gelu), static_cast<Tensor (*)(const Tensor&)>(silu),
                    static_cast<Tensor (*)(const Tensor&)>(softplus)})
    check_close(gate(x), tensor({0, 0, 1e4, kInf}, f64), 0);
  check_close(elu(x), tensor({-1, -1, 1e4, kInf}, f64), 0);
  check_close(erf(x), tensor({-1, -1, 1, 1}, f64), 0);
  check_close(sign(x), tensor({-1, -1, 1, 1}, f64), 0);
  check_close(rsqrt(tensor({0, kInf, -1}, f64)), tensor({kInf, 0, kNan}, f64), 0);
  check_close(log1p(tensor({-1, kInf, -2}, f64)), tensor({-kInf, kInf, kNan}, f64), 0);
  check_close(log(tensor({0, -1, kInf}, f64)), tensor({-kInf, kNan, kInf}, f64), 0);
  check_close(tensor({1, -1, 0}, f64) / 0.0, tensor({kInf, -kInf, kNan}, f64), 0);
}

BOOST_AUTO_TEST_CASE(the_slope_of_elu_keeps_its_digits_and_that_of_relu_at_nan_is_not_hidden) {
  const Tensor x = tensor({-9, -20}), slope = elu_backward(ones({2}), x, {});
  check_close(slope / exp(x), ones({2}), 1e-6);
  const Tensor nan = tensor({kNan});
  BOOST_TEST(relu_backward(ones({1}), {}, relu(nan)).item() == 1);
}

BOOST_AUTO_TEST_CASE(slopes_at_infinity_are_limits) {
  for (DType dtype : {f32, f64}) {
    const Tensor x = tensor({-kInf, -1e30, 1e30, kInf}, dtype), dy = ones({4}, dtype);
    const Tensor step = tensor({0, 0, 1, 1}, dtype), flat = zeros({4}, dtype);
    for (auto slope : {gelu_backward, gelu_tanh_backward, quick_gelu_backward, silu_backward, softplus_backward})
      check_close(slope(dy, x, {}), step, 0);
    check_close(relu_backward(dy, {}, relu(x)), step, 0);
    check_close(elu_backward(dy, x, {}), step, 0);
    check_close(sigmoid_backward(dy, {}, sigmoid(x)), flat, 0);
    check_close(tanh_backward(dy, {}, tanh(x)), flat, 0);
    check_close(erf_backward(dy, x, {}), flat, 0);
  }
}

BOOST_AUTO_TEST_CASE(small_sigmoids_and_softplusses_keep_their_digits) {
  constexpr double kRelative = 1e-5;  // some last bits of f32
  const Tensor x = tensor({-20, -50, -85});
  const Tensor want = map(x, [](double v) { return std::exp(v); });
  check_close(sigmoid(x) / cast(want, f32), ones({3}), kRelative);
  check_close(softplus(x) / cast(want, f32), ones({3}), kRelative);
}

BOOST_AUTO_TEST_CASE(at_a_corner_the_slope_is_zero) {
  for (double zero : {0.0, -0.0}) {
    const Tensor x = full({3}, zero), dy = ones({3});
    check_close(relu_backward(dy, {}, relu(x)), zeros({3}), 0);
    check_close(abs_backward(dy, x, {}), zeros({3}), 0);
    check_close(sign(x), zeros({3}), 0);
  }
}

BOOST_AUTO_TEST_CASE(powers_of_zero_and_of_negative_numbers_follow_ieee) {
  const Tensor a = tensor({0, 0, 0, 0, 0, -2, -2, -2, -2, 2}, f64),
               b = tensor({0, 1, 2, 0.5, -1, 2, 3, -1, 0.5, -kInf}, f64);
  const Tensor dy = ones({10}, f64);
  check_close(pow(a, b), tensor({1, 0, 0, 0, kInf, 4, -8, -0.5, kNan, 0}, f64), 0);
  check_close(slice(pow_backward_a(dy, a, b, {}), 0, 0, 9), tensor({0, 1, 0, kInf, -kInf, -4, 12, -0.25, kNan}, f64),
              0);
  check_close(slice(pow_backward_b(dy, a, b, {}), 0, 0, 9), tensor({0, 0, 0, 0, -kInf, kNan, kNan, kNan, kNan}, f64),
              0);
  check_close(pow(a, 2.0), square(a), 0);
  auto cube = [](auto& x) { return pow(x[0], 3.0); };  // a negative base under a constant whole exponent
  BOOST_CHECK_NO_THROW(gradcheck(cube, {tensor({-2, -0.5, 0, 1.5}, f64)}));
}

BOOST_AUTO_TEST_CASE(of_equal_elements_the_gradient_of_maximum_and_minimum_goes_to_one_side) {
  const Tensor a = tensor({1, 2, 3}), b = tensor({2, 2, 2}), dy = ones({3});
  check_close(minimum_backward_a(dy, a, b, {}) + minimum_backward_b(dy, a, b, {}), dy, 0);
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
