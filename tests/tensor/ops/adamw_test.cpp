#include "tensor/ops/adamw.h"

#include <cmath>

#include "tensor/copy.h"
#include "tensor/create.h"
#include "tensor/ops/elementwise.h"
#include "tensor/views.h"
#include "tests/support/compare.h"
#include "tests/support/error_of.h"

using namespace heed;

namespace {

// The definition of adamw.h, element by element in double.
struct Plain {
  std::vector<double> w, m, v;
  void step(const std::vector<double>& gradient, const AdamWStep& s) {
    for (size_t i = 0; i < w.size(); i++) {
      const double g = s.gradient_scale * gradient[i];
      m[i] = s.beta1 * m[i] + (1 - s.beta1) * g;
      v[i] = s.beta2 * v[i] + (1 - s.beta2) * g * g;
      const double m_hat = m[i] / (1 - std::pow(s.beta1, s.step)), v_hat = v[i] / (1 - std::pow(s.beta2, s.step));
      w[i] -= s.rate * (m_hat / (std::sqrt(v_hat) + s.epsilon) + s.weight_decay * w[i]);
    }
  }
};

// Twenty steps of f32 arithmetic: a few hundred roundings of 6e-8, most of which cancel.
double rounding(DType dtype) { return dtype == f32 ? 1e-5 : 1e-13; }

}  // namespace

BOOST_AUTO_TEST_SUITE(adamw_test)

BOOST_AUTO_TEST_CASE(twenty_steps_equal_a_plain_loop) {
  const AdamWStep settings[] = {{},
                                {.rate = 0.1},
                                {.rate = 0.01, .weight_decay = 0.1, .gradient_scale = 0.25},
                                {.rate = 0.02, .beta1 = 0.5, .beta2 = 0.9, .epsilon = 1e-3, .weight_decay = 0.01},
                                {.beta1 = 0, .beta2 = 0}};
  for (DType dtype : {f32, f64})
    for (AdamWStep s : settings) {
      const Tensor w = noise({9, 111}, 1, dtype), m = zeros(w.shape(), dtype), v = zeros(w.shape(), dtype);
      Plain plain{w.to_vector<double>(), m.to_vector<double>(), v.to_vector<double>()};
      for (s.step = 1; s.step <= 20; s.step++) {
        const Tensor gradient = noise(w.shape(), uint32_t(100 + s.step), dtype);
        adamw_into(w, m, v, gradient, s);
        plain.step(gradient.to_vector<double>(), s);
      }
      check_close(w, from_vector(plain.w, w.shape()), rounding(dtype));
      check_close(m, from_vector(plain.m, w.shape()), rounding(dtype));
      check_close(v, from_vector(plain.v, w.shape()), rounding(dtype));
    }
}

BOOST_AUTO_TEST_CASE(the_first_step_goes_against_the_sign_of_the_gradient_by_the_rate) {
  const Tensor w = zeros({3}), m = zeros({3}), v = zeros({3});
  adamw_into(w, m, v, tensor({5, -0.01, 0}), {.rate = 0.1});
  check_close(w, tensor({-0.1, 0.1, 0}), 1e-6);
}

BOOST_AUTO_TEST_CASE(a_slice_of_an_arena_is_stepped_in_place_and_counts_as_a_write) {
  const Tensor arena = ones({10}), w = slice(arena, 0, 2, 5), m = zeros({3}), v = zeros({3});
  const uint64_t version = arena.storage()->version();
  adamw_into(w, m, v, ones({3}), {.rate = 0.5});
  check_close(arena, tensor({1, 1, 0.5, 0.5, 0.5, 1, 1, 1, 1, 1}), 1e-6);
  BOOST_TEST(arena.storage()->version() > version);
  adamw_into(zeros({0}), zeros({0}), zeros({0}), zeros({0}), {});
}

BOOST_AUTO_TEST_CASE(bad_arguments_are_named) {
  const Tensor x = zeros({3});
  BOOST_TEST(error_of([&] { adamw_into(x, x, zeros({4}), x, {}); }) ==
             "adamw: w is (3,) and v is (4,); all must have one shape");
  const Tensor transposed = transpose(zeros({2, 3})), plain = zeros({3, 2});
  BOOST_TEST(error_of([&] { adamw_into(plain, plain, plain, transposed, {}); }) ==
             "adamw: the gradient is (3, 2) with strides (1, 3); it must be row-major, because the step runs over flat "
             "arrays in place");
  BOOST_TEST(error_of([&] { adamw_into(x, x, x, x, {.step = 0}); }) == "adamw: the step is 0; steps count from 1");
  error_of([&] { adamw_into(x, x, x, zeros({3}, f64), {}); });
  error_of([&] { adamw_into(x, Tensor(), x, x, {}); });
}

BOOST_AUTO_TEST_SUITE_END()
