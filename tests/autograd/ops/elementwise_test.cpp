// Gradients of the whole elementwise table, line by line.
#include "autograd/ops/elementwise.h"

#include <cmath>

#include "autograd/gradcheck.h"
#include "tensor/ops/elementwise.h"
#include "tensor/random.h"

using namespace heed;

namespace {

// Positive and away from 0: for log, sqrt and division.
Tensor positive(const Shape& shape, uint32_t seed = 1) { return uniform(shape, {.seed = seed}, 0.5, 2, f64); }

// Away from 0, where some have a corner or a pole; of both signs where the op is defined there.
Tensor of_both_signs(double (*f)(double), const Shape& shape) {
  const Tensor x = uniform(shape, {.seed = 5}, 0.2, 3, f64);
  return std::isnan(f(-2)) ? x : x * sign(uniform(shape, {.seed = 6}, 0, 1, f64) - 0.5);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(elementwise_test)

BOOST_AUTO_TEST_CASE(every_unary_op_passes_gradcheck){
#define LINE(name, ...)                                                                                            \
  BOOST_TEST_CONTEXT(#name) {                                                                                      \
    const auto f = [](auto& x) { return name(x[0]); };                                                             \
    for (const Shape& shape : {Shape{3, 5}, {2, 0, 3}, {}}) BOOST_CHECK_NO_THROW(gradcheck(f, {positive(shape)})); \
    BOOST_CHECK_NO_THROW(gradcheck(f, {of_both_signs(ops::name##_op::f<double>, {4, 5})}));                        \
  }
    HEED_UNARY_TABLE(LINE)
#undef LINE
}

BOOST_AUTO_TEST_CASE(every_binary_op_passes_gradcheck_with_every_kind_of_broadcast) {
  const std::pair<Shape, Shape> shapes[] = {{{3, 5}, {3, 5}}, {{3, 5}, {5}},    {{1, 5}, {3, 1}},
                                            {{}, {2, 3}},     {{2, 0, 3}, {3}}, {{4}, {2, 1, 4}}};
#define LINE(name, ...)                                    \
  BOOST_TEST_CONTEXT(#name << " of " << a << " and " << b) \
  BOOST_CHECK_NO_THROW(gradcheck([](auto& x) { return name(x[0], x[1]); }, {positive(a), positive(b, 2)}));
  for (const auto& [a, b] : shapes) {
    HEED_BINARY_TABLE(LINE)
  }
#undef LINE
}

BOOST_AUTO_TEST_CASE(an_input_used_three_times_adds_up_its_gradients) {
  BOOST_CHECK_NO_THROW(gradcheck([](auto& x) { return x[0] * x[0] + x[0]; }, {positive({3})}));
}

BOOST_AUTO_TEST_SUITE_END()
