#include "nn/linear.h"

#include "tensor/copy.h"
#include "tensor/create.h"
#include "tests/support/error_of.h"

using namespace heed;

BOOST_AUTO_TEST_SUITE(linear_test)

BOOST_AUTO_TEST_CASE(y_is_x_times_the_transposed_weight_plus_the_bias) {
  Linear layer(3, 2);
  layer.initialise(4);
  copy_into(layer.bias().value(), tensor({1, -1}));
  Context ctx;
  Tensor x = tensor({1, 2, 3, 4, 5, 6}, {2, 3});
  Tensor y = layer.forward(x, ctx).value();
  for (long i : {0, 1})
    for (long j : {0, 1}) {
      double want = layer.bias().value().at({j});
      for (long k = 0; k < 3; k++) want += x.at({i, k}) * layer.weight.value().at({j, k});
      BOOST_TEST(y.at({i, j}) == want, boost::test_tools::tolerance(1e-6));
    }
  BOOST_TEST(error_of([&] {
               layer.forward(Variable(zeros({2, 4})), ctx);
             }) == "linear: x is (2, 4) and w is (2, 3); with x (..., in) w must be (out, in)");
  BOOST_TEST(!Linear(3, 2, {.bias = false}).bias().defined());
}

BOOST_AUTO_TEST_SUITE_END()
