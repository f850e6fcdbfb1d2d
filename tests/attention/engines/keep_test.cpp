#include "attention/engines/keep.h"

#include "tensor/copy.h"
#include "tensor/create.h"
#include "tensor/ops/reduce.h"
#include "tensor/views.h"
#include "tests/support/compare.h"
#include "tests/support/on_threads.h"

using namespace heed;

namespace {

const RandomKey kKey{.seed = 3, .step = 5, .site = 7, .sample = 2};

bool same(const Tensor& a, const Tensor& b) { return same_bits(contiguous(a), contiguous(b)); }

// keep.h's definition, pair by pair
Tensor by_pairs(long B, long H, long T, long S, double dropout) {
  std::vector<bool> keep;
  for_each_index({B, H, T, S}, [&](const Shape& at) {
    const uint32_t site = kKey.site + uint32_t(at[1]) * 0x9E3779B9u, sample = kKey.sample + uint32_t(at[0]);
    const Philox4 draw = philox({site, sample, uint32_t(at[2] + S - T), uint32_t(at[3] / 8)}, kKey.key());
    keep.push_back((draw[size_t(at[3] % 8 / 2)] >> (at[3] % 2 * 16) & 0xffff) >= keep_threshold(dropout));
  });
  return from_vector(keep, {B, H, T, S});
}

}  // namespace

BOOST_AUTO_TEST_SUITE(keep_test)

BOOST_AUTO_TEST_CASE(every_pair_has_the_draw_of_its_position) {
  for (const auto& [T, S] : {std::pair{1L, 1L}, {20, 20}, {3, 7}, {9, 8}, {30, 5}, {5, 600}, {0, 4}, {4, 0}})
    for (double dropout : {0.0, 0.1, 0.5})
      BOOST_TEST(same(attention_keep({2, 3, T, S}, kKey, dropout), by_pairs(2, 3, T, S, dropout)));
}

BOOST_AUTO_TEST_CASE(draws_do_not_depend_on_threads) {
  const Tensor whole = attention_keep({2, 3, 150, 200}, kKey, 0.5);  // cut into several pieces, also inside of a head
  for (int count : {1, 2, 3})
    on_threads(count, [&] { BOOST_TEST(same(attention_keep({2, 3, 150, 200}, kKey, 0.5), whole)); });
  BOOST_TEST(same(whole, by_pairs(2, 3, 150, 200, 0.5)));
}

BOOST_AUTO_TEST_CASE(about_the_asked_share_is_dropped) {
  const double kept = mean(cast(attention_keep({2, 2, 100, 100}, kKey, 0.3), f64)).item();
  BOOST_TEST(std::abs(kept - 0.7) < 0.01);  // 40,000 draws: a deviation of 0.0023
  BOOST_TEST(mean(cast(attention_keep({1, 1, 9, 9}, kKey, 0), f64)).item() == 1);
}

BOOST_AUTO_TEST_CASE(some_rows_are_those_of_the_whole) {
  const Tensor whole = attention_keep({2, 3, 20, 33}, kKey, 0.5);
  BOOST_TEST(same(attention_keep({{2, 3, 20, 33}, 4, 11}, kKey, 0.5, cpu), slice(whole, 2, 4, 11)));
}

BOOST_AUTO_TEST_CASE(some_heads_draw_as_in_the_whole) {
  const Tensor whole = attention_keep({2, 5, 9, 20}, kKey, 0.5);
  BOOST_TEST(same(attention_keep({2, 2, 9, 20}, key_from_head(kKey, 3), 0.5), slice(whole, 1, 3, 5)));
}

BOOST_AUTO_TEST_CASE(a_draw_hangs_on_positions_and_not_on_the_shape_of_the_call) {
  const Tensor whole = attention_keep({2, 3, 20, 20}, kKey, 0.5);
  BOOST_TEST(same(attention_keep({2, 3, 1, 20}, kKey, 0.5), slice(whole, 2, 19, 20)));  // the last query, as decoding
  RandomKey second = kKey;
  second.sample++;
  BOOST_TEST(same(attention_keep({1, 3, 20, 20}, second, 0.5), slice(whole, 0, 1, 2)));  // a micro-batch
}

BOOST_AUTO_TEST_SUITE_END()
