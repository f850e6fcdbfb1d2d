#include "attention/seeing/residues.h"

#include "tensor/copy.h"
#include "tensor/create.h"
#include "tensor/ops/compare.h"
#include "tensor/random.h"
#include "tensor/views.h"
#include "tests/support/compare.h"
#include "tests/support/error_of.h"

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
  const Residues residues = residues_of(8, 8, {.dilation = 3});
  BOOST_TEST(residues.order.to_vector<int32_t>() == (std::vector<int32_t>{0, 3, 6, 1, 4, 7, 2, 5}),
             boost::test_tools::per_element());
  BOOST_TEST(residues.inverse.to_vector<int32_t>() == (std::vector<int32_t>{0, 3, 6, 1, 4, 7, 2, 5}),
             boost::test_tools::per_element());
  for (auto [n, D] : {std::pair{1L, 2L}, {7, 2}, {130, 7}, {130, 129}, {130, 500}}) {
    const Residues r = residues_of(n, n, {.dilation = D});
    for (int32_t t = 0; t < n; t++) BOOST_TEST(r.order.at({0, 0, long(r.inverse.at({0, 0, t}))}) == t);
  }
}

// How many pairs are seen by places and not by tokens, or the other way round; all others are seen once
long wrong_pairs(const Mask& mask, const Pattern& pattern, const Shape& shape, long apart) {
  const long T = shape[2], S = shape[3];
  const auto residues = std::make_shared<const Residues>(residues_of(T, S, pattern, apart));
  const Tensor want = visible_pairs("test", mask, pattern, shape).dense();
  const Tensor got = visible_residues(mask, pattern, shape, residues).dense();
  const bool *wanted = want.data<bool>(), *seen = got.data<bool>();
  const int32_t *query = residues->order.data<int32_t>(), *key = residues->keys.data<int32_t>();
  const long keys = residues->keys.numel();
  long wrong = 0;
  for (long list = 0; list < shape[0] * shape[1]; list++) {
    std::vector<long> times(size_t(T * S), 0);
    for (long i = 0; i < T; i++)
      for (long j = 0; j < keys; j++) times[size_t(query[i] * S + key[j])] += seen[(list * T + i) * keys + j];
    for (long i = 0; i < T; i++)
      for (long j = 0; j < S; j++) {
        const bool far = std::labs(i + S - T - j) >= apart * pattern.dilation;
        wrong += times[size_t(i * S + j)] != (far && wanted[(list * T + i) * S + j]);
      }
  }
  return wrong;
}

BOOST_AUTO_TEST_CASE(by_places_the_same_pairs_are_seen_as_by_tokens) {
  for (auto [n, D] : {std::pair{2L, 2L}, {7, 2}, {64, 3}, {150, 2}, {150, 7}, {150, 149}, {130, 500}})
    for (Pattern pattern : kWindows)
      for (const Mask& mask : masks(n, n)) {
        pattern.dilation = D;
        BOOST_TEST(wrong_pairs(mask, pattern, {2, 2, n, n}, 0) == 0, "n " << n << " dilation " << D);
      }
}

BOOST_AUTO_TEST_CASE(queries_may_be_the_last_tokens_and_leave_near_keys_out) {
  for (auto [T, S] : {std::pair{1L, 1L}, {1, 150}, {3, 70}, {66, 150}, {130, 131}})
    for (long D : {2, 7, 64, 200})
      for (Pattern pattern : {kWindows[0], kWindows[2]})
        for (const Mask& mask : {Mask(), causal_mask()})
          for (long apart : {0, 1, 2}) {
            pattern.dilation = D;
            BOOST_TEST(wrong_pairs(mask, pattern, {1, 1, T, S}, apart) == 0,
                       T << " of " << S << " dilation " << D << " apart " << apart);
          }
}

BOOST_AUTO_TEST_CASE(a_single_query_has_its_own_class_only) {
  const Residues residues = residues_of(1, 20, {.dilation = 6});
  BOOST_TEST(residues.keys.to_vector<int32_t>() == (std::vector<int32_t>{1, 7, 13, 19}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(the_tiles_of_a_dilated_window_are_about_as_many_as_without) {
  const long n = 8192;
  const auto entries = [&](long D) {
    return residues_of(n, n, {.window_left = 256, .window_right = 256, .dilation = D}).plan.key_tile.size();
  };
  for (long D : {2, 3, 4, 7, 16}) BOOST_TEST(double(entries(D)) < 1.1 * double(entries(1)));
  const Plan plan = residues_of(n, n, {.window_left = 256, .dilation = 4}).plan;
  BOOST_TEST(plan.tiles.empty());  // classes of whole tiles: no pair is asked for its residue
}

BOOST_AUTO_TEST_CASE(a_plan_with_global_keys_sees_the_window_and_these) {
  for (auto [n, D] : {std::pair{1L, 1L}, {7, 1}, {150, 1}, {7, 2}, {150, 3}, {150, 149}, {130, 500}})
    for (Pattern window : {Pattern{.window_left = 0, .window_right = 0}, {.window_left = 3, .window_right = 20}, {}}) {
      window.dilation = D;
      const Tensor globals = greater(uniform({2, n}, {.seed = 7}), scalar(0.9));
      const Residues r = residues_with_globals(n, window, globals);
      r.plan.check("test", {2, 3, n, n});
      BOOST_TEST((D > 1 || same_bits(r.order, cast(reshape(arange(n), {1, 1, n}), i32))));
      const bool* global = globals.data<bool>();
      const int32_t* token = r.order.data<int32_t>();
      long wrong = 0;
      for (long b = 0; b < 2; b++)
        for (long i = 0; i < n; i++)
          for (long j = 0; j < n; j++)
            wrong += r.plan.sees(b, 0, i, j) != (global[b * n + token[j]] || window.sees(token[i], token[j]));
      BOOST_TEST(wrong == 0, "n " << n << " dilation " << D << " left " << window.window_left);
    }
  BOOST_TEST(error_of([] { residues_with_globals(4, {}, zeros({5}, boolean)); }) ==
             "residues_with_globals: globals is (5,) and there are 4 tokens; it must be boolean (n) or (B, n)");
}

BOOST_AUTO_TEST_CASE(a_global_key_costs_one_tile_of_keys_and_no_row) {
  const long n = 4096;
  for (long D : {1, 4}) {
    const Pattern window{.window_left = 256, .window_right = 256, .dilation = D};
    const auto entries = [&](const std::vector<double>& at) {
      std::vector<bool> flags(size_t(n), false);
      for (double p : at) flags[size_t(p)] = true;
      return long(residues_with_globals(n, window, from_vector(flags, {n})).plan.key_tile.size());
    };
    const long none = entries({}), one = entries({2000});
    BOOST_TEST(one > none);
    BOOST_TEST(one <= none + n / kPlanTile);
  }
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
