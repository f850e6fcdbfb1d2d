#include "nn/context.h"

#include <stdexcept>

#include "tensor/copy.h"
#include "tensor/create.h"
#include "tensor/ops/elementwise.h"
#include "tests/support/error_of.h"

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

BOOST_AUTO_TEST_CASE(the_end_of_a_step_comes_once_for_each_that_asked_in_order) {
  Context ctx;
  std::string done;
  const auto ask = [&](char c) { ctx.at_step_end([&, c] { done += c; }); };
  ask('a');
  {
    const Rewind rewind = ctx.mark();
    ask('b');
    const auto past = rewind();
    ask('b');  // the same block, computed again
  }
  ask('c');
  ctx.begin(0, 8);  // the next micro-batch
  ask('a');
  BOOST_TEST(done.empty());
  ctx.end_step();
  BOOST_TEST(done == "abca");
  ctx.end_step();
  BOOST_TEST(done == "abca");
  ask('d');
  ctx.forget_step_end();
  ctx.end_step();
  BOOST_TEST(done == "abca");
}

BOOST_AUTO_TEST_CASE(what_is_learned_from_a_batch_gets_the_sum_of_its_parts_once) {
  Two own;
  Context ctx;
  std::string done;
  const auto give = [&](const Module& to, double x) {
    ctx.at_step_end(to, full({1}, x),
                    [&](const Tensor& sum) { done += to.path() + std::to_string(int(sum.item())) + " "; });
  };
  give(own.b, 1);
  give(own.a, 10);
  {
    const Rewind rewind = ctx.mark();
    give(own.a, 20);
    const auto past = rewind();
    give(own.a, 20);  // the same block, computed again
  }
  ctx.begin(0, 8);  // the next micro-batch
  give(own.b, 2);
  ctx.end_step([](const Tensor& sum) { copy_into(sum, sum + 100.0); });  // what other ranks have
  BOOST_TEST(done == "a130 b103 ");
  ctx.end_step();
  give(own.a, 5);
  ctx.forget_step_end();
  ctx.end_step();
  BOOST_TEST(done == "a130 b103 ");
  give(own.a, 1);
  BOOST_TEST(error_of([&] { ctx.at_step_end(own.a, zeros({2}), [](const Tensor&) {}); }) ==
             "at_step_end: a gave (2,) after (1,); all parts of a sum have one shape");
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

BOOST_AUTO_TEST_CASE(a_plan_is_known_by_its_type_and_its_text) {
  Context ctx;
  BOOST_TEST(*ctx.plan<int>("T=8", [] { return 3; }) == 3);
  BOOST_TEST(*ctx.plan<std::string>("T=8", [] { return std::string("tiles"); }) == "tiles");
  BOOST_TEST(*ctx.plan<int>("T=8", [] { return 4; }) == 3);
  BOOST_TEST(*ctx.once<int>("T=8", [] { return 5; }) == 5);  // the plans of a batch are others
}

BOOST_AUTO_TEST_CASE(the_last_64_plans_used_are_kept) {
  Context ctx;
  int made = 0;
  auto plan = [&](size_t T) { return ctx.plan<int>(std::to_string(T), [&] { return ++made; }); };
  const auto first = plan(0);
  for (size_t T = 1; T < kPlansKept; T++) plan(T);
  BOOST_TEST(plan(0) == first);  // all are there, and it is the last one used
  const std::weak_ptr<const int> second = plan(1), third = plan(2);
  plan(0), plan(1);
  for (size_t T = 0; T < kPlansKept - 2; T++) plan(1000 + T);
  BOOST_TEST(plan(0) == first);
  BOOST_TEST(!second.expired());
  BOOST_TEST(third.expired());  // nobody holds it any more
  BOOST_TEST(made == int(2 * kPlansKept - 2));
  plan(2);
  BOOST_TEST(made == int(2 * kPlansKept - 1));
}

BOOST_AUTO_TEST_CASE(making_a_plan_may_ask_for_others_and_may_fail) {
  Context ctx;
  auto make = [&] { return 1 + *ctx.plan<int>("inner", [] { return 2; }); };
  BOOST_TEST(*ctx.plan<int>("outer", make) == 3);
  BOOST_CHECK_THROW(ctx.plan<int>("failed", []() -> int { throw std::runtime_error("no"); }), std::runtime_error);
  BOOST_TEST(*ctx.plan<int>("failed", [] { return 7; }) == 7);
}

BOOST_AUTO_TEST_CASE(what_is_made_once_serves_all_layers_of_a_pass_and_its_replays) {
  Context ctx;
  int made = 0;
  auto globals = [&] { return *ctx.once<int>("globals", [&] { return ++made; }); };
  ctx.begin(1, 0);
  BOOST_TEST(globals() == 1);
  BOOST_TEST(globals() == 1);
  Rewind rewind = ctx.mark();
  ctx.begin(1, 4);  // the next micro-batch
  BOOST_TEST(globals() == 2);
  {
    auto present = rewind();
    BOOST_TEST(globals() == 1);  // a recomputed block of the first
  }
  BOOST_TEST(globals() == 2);
  ctx.forget_decisions();
  BOOST_TEST(globals() == 2);  // only begin() drops it
}
