#include "attention/keep.h"

#include "tensor/copy.h"
#include "tensor/ops/reduce.h"
#include "tensor/views.h"
#include "tests/support/compare.h"

using namespace heed;

namespace {

const RandomKey kKey{.seed = 3, .step = 5, .site = 7, .sample = 2};

bool same(const Tensor& a, const Tensor& b) { return same_bits(contiguous(a), contiguous(b)); }

}  // namespace

BOOST_AUTO_TEST_SUITE(keep_test)

BOOST_AUTO_TEST_CASE(about_the_asked_share_is_dropped) {
  const double kept = mean(cast(attention_keep({2, 2, 100, 100}, kKey, 0.3), f64)).item();
  BOOST_TEST(std::abs(kept - 0.7) < 0.01);  // 40,000 draws: a deviation of 0.0023
  BOOST_TEST(mean(cast(attention_keep({1, 1, 9, 9}, kKey, 0), f64)).item() == 1);
}

BOOST_AUTO_TEST_CASE(some_rows_are_those_of_the_whole) {
  const Tensor whole = attention_keep({2, 3, 20, 33}, kKey, 0.5);
  BOOST_TEST(same(attention_keep({2, 3, 20, 33}, kKey, 0.5, 4, 11), slice(whole, 2, 4, 11)));
}

BOOST_AUTO_TEST_CASE(a_draw_hangs_on_positions_and_not_on_the_shape_of_the_call) {
  const Tensor whole = attention_keep({2, 3, 20, 20}, kKey, 0.5);
  BOOST_TEST(same(attention_keep({2, 3, 1, 20}, kKey, 0.5), slice(whole, 2, 19, 20)));  // the last query, as decoding
  RandomKey second = kKey;
  second.sample++;
  BOOST_TEST(same(attention_keep({1, 3, 20, 20}, second, 0.5), slice(whole, 0, 1, 2)));  // a micro-batch
}

BOOST_AUTO_TEST_SUITE_END()
