#include "autograd/ops/bias_activation.h"

#include "autograd/gradcheck.h"
#include "tensor/copy.h"
#include "tensor/create.h"
#include "tensor/ops/elementwise.h"
#include "tensor/ops/reduce.h"
#include "tensor/views.h"
#include "tests/support/compare.h"
#include "tests/support/error_of.h"
#include "tests/support/on_threads.h"

using namespace heed;

namespace {

constexpr Activation kAll[] = {Activation::relu, Activation::gelu, Activation::gelu_tanh, Activation::quick_gelu,
                               Activation::silu};
double rounding(DType dtype) { return dtype == f32 ? 1e-6 : 1e-14; }  // one more rounding
constexpr double kColumnSums = 1e-4;                                  // 3,000 rows added in f32, in another order

}  // namespace

BOOST_AUTO_TEST_SUITE(bias_activation_test)

BOOST_AUTO_TEST_CASE(equals_an_addition_and_an_activation) {
  for (Activation f : kAll)
    for (DType dtype : {f32, f64})
      for (long C : {1L, 7L, 8L, 33L, 256L}) {
        const Tensor x = noise({5, 3, C}, 1, dtype) * 2.0, b = noise({C}, 2, dtype);
        BOOST_TEST_CONTEXT(name(f) << " of " << C) {
          check_close(bias_activation(x, b, f), bias_activation_reference(x, b, f), rounding(dtype));
        }
      }
}

BOOST_AUTO_TEST_CASE(strided_inputs_work) {
  const Tensor x = transpose(noise({6, 4})), b = slice(noise({12}, 2), 0, 0, 12, 2);
  check_close(bias_activation(x, b, Activation::gelu), gelu(x + b), 1e-15);
}

BOOST_AUTO_TEST_CASE(gradients_are_right) {
  for (Activation f : kAll) {
    gradcheck([&](auto& x) { return bias_activation(x[0], x[1], f); }, {noise({2, 3, 5}), noise({5}, 2)});
    gradcheck([&](auto& x) { return bias_activation(x[0], noise({5}, 2, x[0].dtype()), f); }, {noise({4, 5})});
  }
}

BOOST_AUTO_TEST_CASE(many_rows_are_added_up_block_by_block_with_the_same_bits_for_any_number_of_threads) {
  for (DType dtype : {f32, f64}) {
    const Tensor x = noise({3001, 37}, 1, dtype), dy = noise({3001, 37}, 2, dtype), b = noise({37}, 3, dtype);
    const BiasActivationGrads first = bias_activation_backward(dy, x, b, Activation::gelu);
    check_close(first.dbias, sum(first.dx, {0}), kColumnSums);
    for (int count : {1, 2, 3})
      on_threads(count, [&] {
        const BiasActivationGrads grads = bias_activation_backward(dy, x, b, Activation::gelu);
        BOOST_TEST(same_bits(grads.dx, first.dx));
        BOOST_TEST(same_bits(grads.dbias, first.dbias));
      });
  }
}

BOOST_AUTO_TEST_CASE(nothing_is_legal) {
  BOOST_TEST(bias_activation(zeros({0, 4}), zeros({4}), Activation::silu).shape() == (Shape{0, 4}));
  BOOST_TEST(bias_activation(zeros({3, 0}), zeros({0}), Activation::silu).shape() == (Shape{3, 0}));
  check_close(bias_activation_backward(zeros({0, 4}), zeros({0, 4}), ones({4}), Activation::relu).dbias, zeros({4}), 0);
}

BOOST_AUTO_TEST_CASE(errors_tell_the_shapes) {
  BOOST_TEST(error_of([] {
               bias_activation(zeros({2, 3}), zeros({2}), Activation::gelu);
             }) == "bias_activation: x is (2, 3) and the bias is (2,); with x (..., C) the bias must be (C,)");
  BOOST_TEST(error_of([] {
               bias_activation_backward(zeros({3}), zeros({2, 3}), zeros({3}), Activation::gelu);
             }) == "bias_activation: dy is (3,) and x is (2, 3); they must be equal");
}

BOOST_AUTO_TEST_SUITE_END()
