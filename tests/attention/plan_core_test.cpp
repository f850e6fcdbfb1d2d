#include "attention/plan_core.h"

#include "attention/seeing/plan.h"
#include "tensor/create.h"
#include "tests/support/compare.h"

using namespace heed;

namespace {

long made = 0;  // plans

// A query sees its own block of 64 and the first one, by position.
struct FirstBlock : PlanCore {
  explicit FirstBlock(const MixerOptions& mixer) : PlanCore(mixer) {}

  static bool sees(long position, long key) { return key < 64 || key / 64 == position / 64; }

  Plan plan(const PlanFor& at) const override {
    made++;
    return plan_of_pairs({at.T, at.S},
                         [&](const PlanPair& p) { return sees(p.i + at.S - at.T + at.first_key, p.j + at.first_key); });
  }
  std::string key() const override { return "first block"; }
  Capabilities can() const override { return {.causal = true, .padding = true}; }
};

const MixerOptions kMixer{.C = 8, .heads = 2, .head_width = 4, .value_width = 4};

// A pair is seen if the plan and the mask allow it.
Tensor allowed(long T, long S) {
  std::vector<bool> pairs;
  for (long i = 0; i < T; i++)
    for (long j = 0; j < S; j++) pairs.push_back(FirstBlock::sees(i + S - T, j));
  return from_vector(pairs, {T, S});
}

}  // namespace

BOOST_AUTO_TEST_SUITE(plan_core_test)

BOOST_AUTO_TEST_CASE(a_pair_is_seen_if_the_plan_and_the_mask_allow_it) {
  FirstBlock core(kMixer);
  Context ctx;
  for (auto [T, S] : {std::pair{200L, 200L}, {1, 150}, {70, 150}}) {
    const Variable q = noise({2, 2, T, 4}, 1, f64), k = noise({2, 2, S, 4}, 2, f64), v = noise({2, 2, S, 4}, 3, f64);
    const Mask mask = causal_mask() & length_mask(tensor({double(S), 99}, i64));
    const Visible want = visible_pairs("test", mask & allow_mask(allowed(T, S)), {}, {2, 2, T, S});
    check_close(core.attend({q, k, v}, mask, ctx).value(), softmax_attention_reference({q, k, v}, want).o.value(),
                1e-12);
    check_close(core.weights({q, k, v}, mask, ctx), softmax_attention_weights({q, k, v}, want), 1e-12);
  }
}

BOOST_AUTO_TEST_CASE(a_plan_is_made_once_for_all_layers_and_steps) {
  FirstBlock one(kMixer), two(kMixer);
  Context ctx;
  const Variable x = noise({1, 2, 100, 4}, 1, f64);
  made = 0;
  for (uint32_t step = 0; step < 3; step++) {
    ctx.begin(step);
    for (FirstBlock* layer : {&one, &two}) layer->attend({x, x, x}, {}, ctx);
  }
  BOOST_TEST(made == 1);
  one.attend({x, x, x, 64}, {}, ctx);  // keys from position 64 on
  BOOST_TEST(made == 2);
}

BOOST_AUTO_TEST_CASE(dropout_is_drawn_in_training_only) {
  MixerOptions mixer = kMixer;
  mixer.dropout = 0.5;
  FirstBlock core(mixer);
  const Variable x = noise({1, 2, 100, 4}, 1, f64);
  Context ctx;
  const Tensor plain = core.attend({x, x, x}, {}, ctx).value();
  check_close(core.attend({x, x, x}, {}, ctx).value(), plain, 0);
  ctx.train = true;
  BOOST_TEST(!same_bits(core.attend({x, x, x}, {}, ctx).value(), plain));
}

BOOST_AUTO_TEST_SUITE_END()
