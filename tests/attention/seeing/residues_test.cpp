#include "attention/seeing/residues.h"

#include "tensor/copy.h"
#include "tensor/create.h"
#include "tensor/ops/compare.h"
#include "tensor/random.h"
#include "tensor/views.h"
#include "tests/support/compare.h"

using namespace heed;

namespace {

const std::vector<Pattern> kWindows = {{},
                                       {.window_left = 3, .window_right = 0},
                                       {.window_left = 20, .window_right = 9},
                                       {.window_left = 0},
                                       {.block = 24, .blocks_back = 1, .margin_left = 3}};

std::vector<Mask> masks(long T, long S) {
  return {{},
          causal_mask(),
          length_mask(tensor({double(S), double(S / 2)}, i64)),
          segment_mask(cast(uniform({2, S}, {.seed = 3}, 0, 2.99), i64)),
          window_mask(11, 5) & range_mask(cast(uniform({2, T, 2}, {.seed = 6}, -3, double(S) + 3), i64)),
          allow_mask(greater(uniform({2, 1, T, S}, {.seed = 4}), scalar(0.5))),
          allow_mask(greater(uniform({2, 2, T, 1}, {.seed = 4}), scalar(0.5)))};
}

}  // namespace

BOOST_AUTO_TEST_SUITE(residues_test)

BOOST_AUTO_TEST_CASE(tokens_stand_in_the_order_of_their_residues) {
  const Residues residues = residues_of(8, {.dilation = 3});
  BOOST_TEST(residues.order.to_vector<int32_t>() == (std::vector<int32_t>{0, 3, 6, 1, 4, 7, 2, 5}),
             boost::test_tools::per_element());
  BOOST_TEST(residues.inverse.to_vector<int32_t>() == (std::vector<int32_t>{0, 3, 6, 1, 4, 7, 2, 5}),
             boost::test_tools::per_element());
  for (auto [n, D] : {std::pair{1L, 2L}, {7, 2}, {130, 7}, {130, 129}, {130, 500}}) {
    const Residues r = residues_of(n, {.dilation = D});
    for (int32_t t = 0; t < n; t++) BOOST_TEST(r.order.at({0, 0, long(r.inverse.at({0, 0, t}))}) == t);
  }
}

BOOST_AUTO_TEST_CASE(by_places_the_same_pairs_are_seen_as_by_tokens) {
  for (auto [n, D] : {std::pair{2L, 2L}, {7, 2}, {64, 3}, {150, 2}, {150, 7}, {150, 149}, {130, 500}})
    for (Pattern pattern : kWindows)
      for (const Mask& mask : masks(n, n)) {
        pattern.dilation = D;
        const Shape shape{2, 2, n, n};
        const auto residues = std::make_shared<const Residues>(residues_of(n, pattern));
        const Visible places = visible_residues(mask, pattern, shape, residues);
        const Tensor want = visible_pairs("test", mask, pattern, shape).dense(), got = places.dense();
        const bool *wanted = want.data<bool>(), *seen = got.data<bool>();
        const int32_t* token = residues->order.data<int32_t>();
        long wrong = 0;
        for (long list = 0; list < 4; list++)
          for (long i = 0; i < n; i++)
            for (long j = 0; j < n; j++)
              wrong += seen[(list * n + i) * n + j] != wanted[(list * n + token[i]) * n + token[j]];
        BOOST_TEST(wrong == 0, "n " << n << " dilation " << D);
      }
}

BOOST_AUTO_TEST_CASE(the_tiles_of_a_dilated_window_are_about_as_many_as_without) {
  const long n = 8192;
  const auto entries = [&](long D) {
    return residues_of(n, {.window_left = 256, .window_right = 256, .dilation = D}).plan.key_tile.size();
  };
  for (long D : {2, 3, 4, 7, 16}) BOOST_TEST(double(entries(D)) < 1.1 * double(entries(1)));
  const Plan plan = residues_of(n, {.window_left = 256, .dilation = 4}).plan;
  BOOST_TEST(plan.tiles.empty());  // classes of whole tiles: no pair is asked for its residue
}

BOOST_AUTO_TEST_CASE(a_single_query_sees_every_nth_key_that_it_saw) {
  for (auto [S, D] : {std::pair{1L, 2L}, {2, 2}, {7, 2}, {64, 3}, {150, 7}, {150, 149}, {130, 500}})
    for (Pattern pattern : kWindows)
      for (const Mask& mask : masks(1, S)) {
        pattern.dilation = D;
        const Tensor want = visible_pairs("test", mask, pattern, {2, 2, 1, S}).dense();
        const Tensor got = visible_every(mask, pattern, {2, 2, 1, S}).dense();
        check_close(cast(got, f64), cast(slice(want, 3, first_of_last(S, D), S, D), f64), 0);
      }
}

BOOST_AUTO_TEST_SUITE_END()
