// What the softmax engine tells a profile: the tiles that it looks at, counted by hand.
#include "attention/engines/softmax_engine.h"
#include "attention/seeing/plan.h"
#include "tensor/create.h"
#include "tensor/profile.h"
#include "tests/support/compare.h"

using namespace heed;

namespace {

// Tiles of a forward pass over 256 tokens, one sample and two heads
double tiles(const Visible& visible) {
  const Variable q(noise({1, 2, 256, 5})), k(noise({1, 2, 256, 5})), v(noise({1, 2, 256, 3}));
  Profile profile;
  softmax_attention({q, k, v}, visible);
  profile.stop();
  double flops = 0;
  for (const ProfileRow& row : profile.rows())
    if (row.op == "softmax_attention") flops += row.flops;
  return flops / (2 * 64 * 64 * (5 + 3));
}

Visible seen(const Mask& mask, const Pattern& pattern = {}) {
  return visible_pairs("test", mask, pattern, {1, 2, 256, 256});
}

}  // namespace

BOOST_AUTO_TEST_SUITE(softmax_flops_test)

BOOST_AUTO_TEST_CASE(every_tile_that_is_looked_at_counts_for_every_head) {
  BOOST_TEST(tiles(seen({})) == 2 * 16);
  BOOST_TEST(tiles(seen(causal_mask())) == 2 * 10);
  BOOST_TEST(tiles(seen({}, {.block = 64})) == 2 * 4);
  BOOST_TEST(tiles(seen(causal_mask(), {.window_left = 64})) == 2 * 7);
  BOOST_TEST(tiles(seen(length_mask(from_vector<int64_t>({64}, {1})))) == 2 * 4);
}

BOOST_AUTO_TEST_CASE(of_a_plan_its_entries_count_as_far_as_the_mask_reaches) {
  Visible planned = seen({}), causal = seen(causal_mask());
  const Plan plan = plan_of_blocks({.T = 256, .S = 256}, 64, {{0, 0}, {1, 3}, {2, 0}, {3, 3}});
  planned.plan = causal.plan = std::make_shared<Plan>(plan);
  BOOST_TEST(tiles(planned) == 2 * 4);
  BOOST_TEST(tiles(causal) == 2 * 3);
}

BOOST_AUTO_TEST_SUITE_END()
