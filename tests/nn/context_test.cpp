#include "nn/context.h"
#include "tensor/create.h"

using namespace heed;

namespace {

struct Two : Module {
  struct Site : Module {};
  Site &a = child<Site>("a"), &b = child<Site>("b");
};

}  // namespace

BOOST_AUTO_TEST_CASE(random_sites_differ_by_module_and_use_and_start_again_with_each_pass) {
  Two two;
  Context ctx;
  ctx.seed = 9;
  ctx.begin(3, 100);
  RandomKey first = ctx.random(two.a), second = ctx.random(two.a), other = ctx.random(two.b);
  BOOST_TEST(first.site != second.site);
  BOOST_TEST(first.site != other.site);
  BOOST_TEST(first.seed == 9u);
  BOOST_TEST(first.step == 3u);
  BOOST_TEST(first.sample == 100u);
  ctx.begin(3, 104);  // the next micro-batch of the same step
  BOOST_TEST(ctx.random(two.a).site == first.site);
}

BOOST_AUTO_TEST_CASE(a_decision_is_made_once_and_read_back_in_a_replay) {
  Two two;
  Context ctx;
  int made = 0;
  auto decide = [&] { return ctx.decide<int>(two.a, [&] { return ++made; }); };
  BOOST_TEST(decide() == 1);
  Rewind rewind = ctx.mark();
  BOOST_TEST(decide() == 2);
  {
    auto present = rewind();
    BOOST_TEST(decide() == 2);  // read back
  }
  BOOST_TEST(decide() == 3);  // the present goes on where it was
  ctx.forget_decisions();
  BOOST_TEST(decide() == 4);
}

BOOST_AUTO_TEST_CASE(a_replay_restores_step_sample_and_train_and_counts_no_metric_twice) {
  Two two;
  Context ctx;
  ctx.train = true;
  ctx.begin(1, 10);
  Rewind rewind = ctx.mark();
  RandomKey before = ctx.random(two.a);
  ctx.report("loss", 1);
  ctx.begin(1, 14);  // the next micro-batch of the step
  ctx.report("loss", 3);
  ctx.step = 2;
  ctx.train = false;
  {
    auto present = rewind();
    BOOST_TEST(ctx.train);
    BOOST_TEST(ctx.random(two.a).site == before.site);
    BOOST_TEST(ctx.step == 1u);
    ctx.report("loss", 100);
  }
  BOOST_TEST(!ctx.train);
  BOOST_TEST(ctx.step == 2u);
  BOOST_TEST(ctx.metrics().at("loss") == 2);
}

BOOST_AUTO_TEST_CASE(a_plan_is_made_once_per_key) {
  Context ctx;
  int made = 0;
  auto plan = [&](const char* key) {
    return ctx.plan<std::vector<int>>(key, [&] { return std::vector<int>{++made}; });
  };
  auto a = plan("T=8"), b = plan("T=9");
  BOOST_TEST(a->at(0) == 1);
  BOOST_TEST(b->at(0) == 2);
  BOOST_TEST(plan("T=8") == a);
  ctx.begin(1);
  BOOST_TEST(plan("T=8") == a);  // kept from step to step
}
