#include "attention/seeing/summaries.h"

#include "tensor/copy.h"
#include "tensor/views.h"
#include "tests/support/compare.h"

using namespace heed;

namespace {

Visible visible_summaries(const Mask& mask, const Shape& shape, const Summaries& summaries) {
  Visible visible = visible_pairs("test", mask, {}, shape);
  visible.plan = std::make_shared<const Plan>(summaries.plan);
  visible.key_index = summaries.keys;
  return visible;
}

// How often each pair of tokens is seen by places, (H, T, S)
std::vector<long> times_seen(const Visible& visible) {
  const Tensor dense = visible.dense();
  const bool* seen = dense.data<bool>();
  const PlaceTokens keys(visible.key_index);
  const long H = visible.H, T = visible.T, S = visible.S, places = visible.key_places();
  std::vector<long> times(size_t(H * T * S), 0);
  for (long row = 0; row < H * T; row++)
    for (long place = 0; place < places; place++)
      if (seen[row * places + place]) times[size_t(row * S + keys.at(0, row / T, place))]++;
  return times;
}

long wrong_pairs(const SummaryPattern& pattern, long T, long S, bool causal) {
  const Mask mask = causal ? causal_mask() : Mask();
  const auto times = times_seen(visible_summaries(mask, {1, pattern.heads, T, S}, summaries_of(T, S, pattern, causal)));
  long wrong = 0;
  for (long h = 0; h < pattern.heads; h++)
    for (long i = 0; i < T; i++)
      for (long j = 0; j < S; j++) {
        const long p = i + S - T;
        wrong += times[size_t((h * T + i) * S + j)] != (pattern.sees(h, p, j) && !(causal && j > p));
      }
  return wrong;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(summaries_test)

BOOST_AUTO_TEST_CASE(summaries_stand_behind_the_own_blocks_in_tiles_of_their_own) {
  const Tensor keys = summaries_of(8, 8, {.block = 4, .columns = 1}, true).keys;
  BOOST_TEST(keys.shape() == (Shape{1, 1, 66}));
  BOOST_TEST(keys.at({0, 0, 7}) == 7);
  BOOST_TEST(keys.at({0, 0, 8}) == -1);
  BOOST_TEST(keys.at({0, 0, 64}) == 3);
  BOOST_TEST(keys.at({0, 0, 65}) == 7);
}

BOOST_AUTO_TEST_CASE(every_pair_of_the_pattern_is_seen_once_and_no_other) {
  for (auto [T, S] : {std::pair{1L, 1L}, {7, 7}, {150, 150}, {3, 200}, {70, 200}})
    for (auto [block, columns, groups] : {std::array{4L, 1L, 1L}, {4, 2, 2}, {10, 3, 3}, {64, 16, 2}, {90, 90, 1}})
      for (auto [own, from] : {std::pair{3L, 0L}, {0, 0}, {2, 2}, {3, 3}})
        for (bool causal : {false, true}) {
          const SummaryPattern pattern{block, columns, groups, 3, own, from};
          BOOST_TEST(wrong_pairs(pattern, T, S, causal) == 0,
                     T << " of " << S << pattern.text() << (causal ? " causal" : ""));
        }
}

// l = 128, c = 32: two tiles of queries in a block see 1 and 2 tiles of it, and half a tile for each block before.
BOOST_AUTO_TEST_CASE(tiles_are_as_many_as_the_pairs_fill) {
  const long n = 8192, blocks = n / 128;
  long want = 0;
  for (long b = 0; b < blocks; b++) want += 1 + 2 + 2 * ((b + 1) / 2);
  const Plan plan = summaries_of(n, n, {}, true).plan;
  BOOST_TEST(long(plan.key_tile.size()) == want);
  BOOST_TEST(plan.tiles.size() == 1);  // half of a tile, the other half is the own block's
}

BOOST_AUTO_TEST_CASE(a_single_query_finds_its_columns_in_a_table) {
  Context ctx;
  const ColumnLists lists{"test", 5, 2, {3, 1}};
  const auto keys = [&](long blocks, long list) {
    Visible visible = visible_pairs("test", {}, {}, {1, list == kEveryList ? 2L : 1, 1, 400});
    look_at_columns(visible, lists, blocks, list, ctx);
    visible.check("test");
    return visible.key_index;
  };
  const Tensor both = keys(3, kEveryList), one = keys(33, 1);
  BOOST_TEST(both.shape() == (Shape{1, 2, 64}));
  BOOST_TEST(slice(both, 2, 0, 8).to_vector<int32_t>() ==
                 (std::vector<int32_t>{3, 4, 8, 9, 13, 14, -1, -1, 1, 2, 6, 7, 11, 12, -1, -1}),
             boost::test_tools::per_element());
  BOOST_TEST(one.shape() == (Shape{1, 1, 128}));
  BOOST_TEST(one.at({0, 0, 65}) == 162);
  BOOST_TEST(one.at({0, 0, 66}) == -1);
}

BOOST_AUTO_TEST_SUITE_END()
