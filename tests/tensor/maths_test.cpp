// The polynomials of maths.h against the library's functions in double, over all kinds of floats.
#include "tensor/maths.h"

#include <cmath>
#include <limits>

#include "tensor/cpu/simd.h"

using namespace heed;

namespace {

using V = Vec<float>;

double ulp_of(double x) {
  return std::isfinite(x) && x != 0 ? std::ldexp(1, std::max(std::ilogb(x) - 23, -149)) : std::ldexp(1, -149);
}

// Calls check(x) for floats of every size and both signs, infinities and NaN among them.
template <class F> void for_floats(F&& check) {
  for (uint64_t bits = 0; bits < uint64_t(1) << 32; bits += 60013) check(std::bit_cast<float>(uint32_t(bits)));
  for (double x = -20; x < 20; x += 0.000217) check(float(x));  // where most of them bend
  for (float x : {0.f, -0.f, 1.f, -1.f, std::numeric_limits<float>::infinity(), -std::numeric_limits<float>::infinity(),
                  std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::max(),
                  std::numeric_limits<float>::lowest(), std::numeric_limits<float>::denorm_min()})
    check(x);
}

// The most that f (of a number, and of a Vec) is off, in ulp of unit(x, f(x)). Infinity where a limit or NaN is wrong.
template <class F, class Unit> double worst_error(F&& f, double (*exact)(double), Unit&& unit) {
  double worst = 0;
  for_floats([&](float x) {
    for (const float got : {f(x), f(V(x)).raw[0], f(V(x)).raw[V::kLanes - 1]}) {
      const double want = exact(double(x));
      if (std::isnan(want) || std::isinf(float(want)) || std::isinf(got)) {
        const bool right = std::isnan(want) ? std::isnan(got) : float(want) == got;
        if (!right) worst = std::numeric_limits<double>::infinity();
      } else {
        const double error = std::abs(got - want) / ulp_of(unit(double(x), want));
        worst = error <= worst ? worst : error;  // NaN counts
      }
    }
  });
  return worst;
}

double of_result(double, double y) { return y; }

}  // namespace

BOOST_AUTO_TEST_SUITE(maths_test)

BOOST_AUTO_TEST_CASE(errors_are_as_stated_in_the_header) {
  BOOST_TEST(worst_error([](auto x) { return maths::exp(x); }, std::exp, of_result) <= 1);
  BOOST_TEST(worst_error([](auto x) { return maths::tanh(x); }, std::tanh, of_result) <= 6);
  BOOST_TEST(worst_error([](auto x) { return maths::erf(x); }, std::erf, of_result) <= 6);
  BOOST_TEST(worst_error([](auto x) { return maths::logistic(x); }, maths::logistic, of_result) <= 3);
  const auto of_x = [](double x, double) { return x; };
  BOOST_TEST(worst_error([](auto x) { return maths::gelu(x); }, maths::gelu, of_x) <= 3);
  const auto of_one = [](double, double) { return 1.0; };
  BOOST_TEST(worst_error([](auto x) { return maths::gelu_slope(x); }, maths::gelu_slope, of_one) <= 4);
}

BOOST_AUTO_TEST_CASE(exp_of_negative_numbers_is_exp_or_zero_far_out) {
  double worst = 0;
  for (double x = -86.9; x <= 0; x += 0.00113)
    worst = std::max(worst, std::abs(maths::exp_negative(float(x)) - std::exp(double(float(x)))) / ulp_of(std::exp(x)));
  BOOST_TEST(worst <= 1);
  BOOST_TEST(maths::exp_negative(0.f) == 1);
  BOOST_TEST(maths::exp_negative(-88.f) == 0);
  BOOST_TEST(maths::exp_negative(-std::numeric_limits<float>::infinity()) == 0);
  BOOST_TEST(std::isnan(maths::exp_negative(std::numeric_limits<float>::quiet_NaN())));
}

BOOST_AUTO_TEST_CASE(powers_of_two_are_right_or_zero_far_out) {
  double worst = 0;
  for (double x = -63.9; x <= 0; x += 0.00113)
    for (float got : {maths::exp2_negative(float(x)), maths::exp2_negative(V(float(x))).raw[0]})
      worst = std::max(worst, std::abs(got - std::exp2(double(float(x)))) / ulp_of(std::exp2(double(float(x)))));
  BOOST_TEST(worst <= 1.2);
  BOOST_TEST(maths::exp2_negative(0.f) == 1);
  BOOST_TEST(maths::exp2_negative(-65.f) == 0);
  BOOST_TEST(maths::exp2_negative(-std::numeric_limits<float>::infinity()) == 0);
  BOOST_TEST(std::isnan(maths::exp2_negative(std::numeric_limits<float>::quiet_NaN())));
}

BOOST_AUTO_TEST_CASE(nothing_exceeds_its_limits) {
  for_floats([](float x) {
    if (std::isnan(x)) return;
    BOOST_REQUIRE(std::abs(maths::tanh(x)) <= 1);
    BOOST_REQUIRE(std::abs(maths::erf(x)) <= 1);
    BOOST_REQUIRE((maths::logistic(x) >= 0 && maths::logistic(x) <= 1));
  });
}

BOOST_AUTO_TEST_CASE(odd_functions_are_odd) {
  for_floats([](float x) {
    if (std::isnan(x)) return;
    BOOST_REQUIRE(maths::tanh(-x) == -maths::tanh(x));
    BOOST_REQUIRE(maths::erf(-x) == -maths::erf(x));
  });
}

BOOST_AUTO_TEST_SUITE_END()
