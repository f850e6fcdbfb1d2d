#include "attention/seeing/pair_count.h"

#include <algorithm>

#include "attention/seeing/plan.h"
#include "tensor/copy.h"
#include "tensor/create.h"
#include "tensor/ops/compare.h"
#include "tensor/ops/reduce.h"
#include "tensor/random.h"
#include "tests/oracle/suite.h"
#include "tests/support/compare.h"

using namespace heed;

namespace {

double dense_count(const Visible& visible) { return sum(cast(visible.dense(), f64)).item(); }

Visible planned(const Mask& mask, const Plan& plan, long T) {
  Visible v = visible_pairs("test", mask, {}, {2, 2, T, T});
  v.plan = std::make_shared<Plan>(plan);
  return v;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(pair_count_test)

BOOST_AUTO_TEST_CASE(closed_counts_come_out) {
  const auto count = [](const Mask& mask, const Pattern& pattern, long n) {
    return pair_count(visible_pairs("test", mask, pattern, {1, 3, n, n})) / 3;
  };
  BOOST_TEST(count({}, {}, 100) == 10'000);
  BOOST_TEST(count(causal_mask(), {}, 100) == 5'050);
  BOOST_TEST(count(causal_mask(), {.window_left = 10}, 100) == 11 * 90 + 55);
  BOOST_TEST(count({}, {.block = 7}, 100) == 14 * 49 + 4);
  BOOST_TEST(count(causal_mask(), {}, 16'384) == 16'384.0 * 16'385 / 2);
}

// Ranges, labels, single pairs, samples of different lengths
BOOST_AUTO_TEST_CASE(what_is_no_range_is_counted_pair_by_pair) {
  const long T = 70, S = 75;
  const Tensor allow = greater(uniform({2, 2, T, S}, {.seed = 1}, 0, 1, f32), 0.3);
  const Tensor segments = from_vector(std::vector<int64_t>(size_t(2 * S), 1), {2, S});
  for (const Mask& mask : {Mask(), causal_mask(), allow_mask(allow), causal_mask() & allow_mask(allow),
                           length_mask(from_vector(std::vector<int64_t>{40, 75}, {2})), segment_mask(segments)})
    for (const Pattern& pattern : {Pattern{}, Pattern{.window_left = 5, .window_right = 3},
                                   Pattern{.window_left = 4, .window_right = 4, .dilation = 3}, Pattern{.block = 16}}) {
      const Visible v = visible_pairs("test", mask, pattern, {2, 2, T, S});
      BOOST_TEST(pair_count(v) == dense_count(v));
    }
}

BOOST_AUTO_TEST_CASE(of_a_plan_only_what_the_mask_leaves_is_counted) {
  const long T = 200;
  const Plan blocks = plan_of_blocks({.T = T, .S = T}, 64, {{.query = 0, .key = 1}, {.query = 3, .key = 0}});
  const Plan pairs = plan_of_pairs({.T = T, .S = T, .samples = 2, .heads = 2},
                                   [](const PlanPair& p) { return (p.i * 7 + p.j * 3 + p.h + p.b) % 5 < 2; });
  for (const Plan& plan : {blocks, pairs})
    for (const Mask& mask : {Mask(), causal_mask()}) {
      const Visible v = planned(mask, plan, T);
      BOOST_TEST(pair_count(v) == dense_count(v));
      BOOST_TEST(pair_count(v) > 0);
    }
  Visible sorted = planned(causal_mask(), pairs, T);  // by places: tokens in another order, and some nowhere
  std::vector<int32_t> order(static_cast<size_t>(T));
  for (long i = 0; i < T; i++) order[size_t(i)] = i % 9 == 0 ? -1 : int32_t(i * 37 % T);
  sorted.query_index = sorted.key_index = from_vector(order, {1, 1, T});
  BOOST_TEST(pair_count(sorted) == dense_count(sorted));
}

// Whatever calls a variant is made of: the pairs that it counts are those that have a weight, each once.
BOOST_AUTO_TEST_CASE(the_pairs_that_a_variant_counts_are_those_with_a_weight) {
  for (const std::string& name : variant_names())
    for (const Trial& trial : trials_of(name))
      for (const bool causal : trial.causal_or_not()) {
        if (!trial.oracle->sees || trial.can.widens) continue;
        const auto mixer = trial.mixer();
        const MixIn in{.mask = causal_if(causal)};
        const Variable x = trial.x(2, 33);
        Context ctx;
        const PairCounter counter;
        run(*mixer, x, in, ctx);
        if (counter.pairs() == 0) continue;  // it weighs no pairs
        const auto weights = mixer->weights(x, in, ctx).to_vector<double>();
        BOOST_TEST(
            counter.pairs() == double(std::count_if(weights.begin(), weights.end(), [](double w) { return w > 0; })),
            trial.spec << (causal ? ", causal" : ""));
      }
}

BOOST_AUTO_TEST_CASE(counters_count_what_happens_while_they_live) {
  const Visible v = visible_pairs("test", {}, {}, {1, 1, 4, 4});
  PairCounter::note(v);  // nobody counts
  const PairCounter outer;
  {
    const PairCounter inner;
    PairCounter::note(v);
    BOOST_TEST(inner.pairs() == 16);
  }
  BOOST_TEST(outer.pairs() == 0);
  PairCounter::note(v);
  BOOST_TEST(outer.pairs() == 16);
}

BOOST_AUTO_TEST_SUITE_END()
