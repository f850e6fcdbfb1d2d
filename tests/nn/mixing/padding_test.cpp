#include "nn/mixing/padding.h"

#include <cmath>

#include "autograd/gradcheck.h"
#include "autograd/ops/views.h"
#include "tensor/create.h"
#include "tensor/views.h"
#include "tests/support/compare.h"

using namespace heed;

BOOST_AUTO_TEST_SUITE(padding_test)

BOOST_AUTO_TEST_CASE(tokens_behind_the_end_of_their_sample_are_padding) {
  check_close(cast(padding(tensor({3, 1, 0}, i64), 3, 3), f64), tensor({0, 0, 0, 0, 1, 1, 1, 1, 1}, {3, 3}, f64), 0);
}

BOOST_AUTO_TEST_CASE(rows_are_the_last_of_all_positions) {
  check_close(cast(padding(tensor({4, 3, 2}, i64), 2, 4), f64), tensor({0, 0, 0, 1, 1, 1}, {3, 2}, f64), 0);
  check_close(cast(padding(tensor({0, 1}, i64), 3, 1), f64), tensor({0, 0, 1, 0, 0, 0}, {2, 3}, f64), 0);
  BOOST_TEST(padding(tensor({4, 3}, i64), 0, 4).shape() == (Shape{2, 0}));
}

BOOST_AUTO_TEST_CASE(lengths_may_have_strides) {
  const Tensor lengths = slice(tensor({1, 9, 2, 9}, i64), 0, 0, 4, 2);
  check_close(cast(padding(lengths, 2, 2), f64), tensor({0, 1, 0, 0}, {2, 2}, f64), 0);
}

BOOST_AUTO_TEST_CASE(padded_rows_are_zero_even_if_they_were_nan_and_have_no_gradient) {
  const Tensor lengths = tensor({2, 1}, i64), y = ones({2, 2, 3}, f64), want = ones({2, 2, 3}, f64);
  fill(slice(slice(y, 0, 1, 2), 1, 1, 2), NAN);
  fill(slice(slice(want, 0, 1, 2), 1, 1, 2), 0);
  const Variable x = Variable::leaf(y), zeroed = zero_padded_rows(x, lengths, 2);
  check_close(zeroed.value(), want, 0);
  zeroed.backward(ones({2, 2, 3}, f64));
  check_close(x.grad(), want, 0);
  BOOST_TEST(zero_padded_rows(x, Tensor(), 2).value().data<double>() == y.data<double>());  // no lengths: no copy
}

BOOST_AUTO_TEST_CASE(what_a_context_keeps_is_for_the_same_lengths_only) {
  Context ctx;
  const Tensor lengths = tensor({3, 1}, i64), y = ones({2, 3, 1}, f64);
  for (int i = 0; i < 2; i++) {  // the first sample alone has the same memory
    zero_padded_rows(slice(y, 0, 0, 1), slice(lengths, 0, 0, 1), 3, ctx);
    check_close(zero_padded_rows(y, lengths, 3, ctx).value(), zero_padded_rows(y, lengths, 3).value(), 0);
    fill(slice(lengths, 0, 1, 2), 2);  // written to: looked at again
  }
}

BOOST_AUTO_TEST_SUITE_END()
