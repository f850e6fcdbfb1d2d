#include "train/schedule.h"

#include <cmath>

#include "tests/support/error_of.h"

using namespace heed;

namespace {

constexpr double kExact = 1e-15;  // a rounding or two

void check_rates(const Schedule& schedule, const std::vector<std::pair<long, double>>& expected) {
  for (const auto& [step, rate] : expected)
    BOOST_TEST(std::abs(schedule.rate_at(step) - rate) <= kExact,
               schedule.text() << " at " << step << ": " << schedule.rate_at(step) << ", not " << rate);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(schedule_test)

BOOST_AUTO_TEST_CASE(every_shape_warms_up_and_ends_where_it_should) {  // t = 0, 1, w, w + 1, end, beyond
  const Phase defaults{.steps = 110, .rate = 0.5};
  const double after = 0.5 * (0.2 + 0.8 * (1 + std::cos(M_PI / 100)) / 2);
  check_rates(Schedule("cosine:warmup=10,floor=0.2", defaults),
              {{0, 0}, {1, 0.05}, {9, 0.45}, {10, 0.5}, {11, after}, {60, 0.3}, {110, 0.1}, {200, 0.1}});
  check_rates(Schedule("linear:warmup=10", defaults),
              {{0, 0}, {1, 0.05}, {10, 0.5}, {11, 0.495}, {60, 0.25}, {110, 0}, {200, 0}});
  check_rates(Schedule("constant:warmup=10", defaults), {{0, 0}, {1, 0.05}, {10, 0.5}, {11, 0.5}, {110, 0.5}});
  check_rates(Schedule("inverse_sqrt:warmup=10", defaults),
              {{0, 0}, {1, 0.05}, {10, 0.5}, {11, 0.5 * std::sqrt(10. / 11)}, {40, 0.25}, {110, 0.5 / std::sqrt(11.)}});
}

BOOST_AUTO_TEST_CASE(without_warm_up_the_first_step_has_the_whole_rate) {
  const Phase defaults{.steps = 100, .rate = 2};
  check_rates(Schedule("", defaults), {{0, 2}, {1, 2}, {100, 2}});
  check_rates(Schedule("cosine", defaults), {{0, 2}, {50, 1}, {100, 0}});
  check_rates(Schedule("inverse_sqrt", defaults), {{0, 2}, {1, 2}, {4, 1}, {100, 0.2}});
  check_rates(Schedule("linear:steps=1", defaults), {{0, 2}, {1, 0}});
}

BOOST_AUTO_TEST_CASE(phases_follow_one_another_with_their_own_lengths_and_rates) {
  const Schedule s("steps=1000,context=128,rate=1e-3;steps=500,context=256,window=64,rate=5e-4,warmup=50");
  BOOST_TEST(s.steps() == 1500);
  BOOST_TEST(s.phases().size() == 2u);
  check_rates(s, {{0, 1e-3}, {1, 1e-3}, {1000, 1e-3}, {1001, 1e-5}, {1050, 5e-4}, {1051, 5e-4}, {1500, 5e-4}});
  for (long step : {0, 1, 1000}) BOOST_TEST(s.phase_at(step).context == 128);
  for (long step : {1001, 1500, 9999}) {
    BOOST_TEST(s.phase_at(step).context == 256);
    BOOST_TEST(s.phase_at(step).window == 64);
    BOOST_TEST(s.phase_number(step) == 1);
  }
}

BOOST_AUTO_TEST_CASE(a_phase_takes_what_it_does_not_say_from_the_defaults) {
  const Schedule s("steps=10;cosine:context=64", {.steps = 20, .context = 32, .rate = 0.25, .floor = 0.5});
  BOOST_TEST(s.steps() == 30);
  BOOST_TEST(s.phases()[0].context == 32);
  BOOST_TEST(s.phases()[1].shape == "cosine");
  check_rates(s, {{10, 0.25}, {30, 0.125}});
}

BOOST_AUTO_TEST_CASE(a_switch_between_equal_constant_phases_changes_nothing) {
  const Schedule one("steps=20,rate=0.125"), two("steps=10,rate=0.125;steps=10,rate=0.125");
  for (long step = 0; step <= 20; step++) BOOST_TEST(one.rate_at(step) == two.rate_at(step));
}

BOOST_AUTO_TEST_CASE(the_text_reads_back_as_the_same_schedule) {
  const Schedule s("steps=7,rate=0.1;cosine:steps=9,rate=3e-4,warmup=2,floor=0.3,context=64,window=8");
  BOOST_TEST(s.text() ==
             "constant:steps=7,rate=0.1,warmup=0,floor=0;"
             "cosine:steps=9,rate=3e-04,warmup=2,floor=0.3,context=64,window=8");
  const Schedule again(s.text());
  BOOST_TEST(again.text() == s.text());
  for (long step = 0; step <= 17; step++) BOOST_TEST(again.rate_at(step) == s.rate_at(step));
}

BOOST_AUTO_TEST_CASE(mistakes_are_told_with_the_rule) {
  const auto refusal = [](const std::string& text) { return error_of([&] { Schedule s(text); }); };
  BOOST_TEST(refusal("cosin:warmup=3") ==
             "schedule: there is no shape 'cosin'; there are constant, cosine, linear, inverse_sqrt. Did you mean "
             "cosine?");
  BOOST_TEST(refusal("cosine:warmpu=3") ==
             "schedule: there is no option 'warmpu'; there are steps, context, contexts, batch, window, windows, rate, "
             "warmup, "
             "floor. Did you mean warmup?");
  BOOST_TEST(refusal("cosine:warmup") ==
             "schedule: 'cosine:warmup' has 'warmup' where an option is expected; the rule is "
             "shape:option=value,option=value");
  BOOST_TEST(refusal("cosine:").find("has '' where an option is expected") != std::string::npos);
  BOOST_TEST(refusal("cosine:floor=0.1,").find("has '' where an option is expected") != std::string::npos);
  BOOST_TEST(refusal("steps=10;;steps=10") ==
             "schedule: 'steps=10;;steps=10' has an empty phase; phases stand between semicolons");
  BOOST_TEST(refusal("steps=3,steps=4") == "schedule: 'steps=3,steps=4' gives steps twice");
  BOOST_TEST(refusal("floor=2") == "schedule: got floor=2; it must be a number from 0 to 1");
  BOOST_TEST(refusal("rate=1e-3x") == "schedule: got rate=1e-3x; it must be a number from 0 to 1000");
  BOOST_TEST(refusal("rate=nan") == "schedule: got rate=nan; it must be a number from 0 to 1000");
  BOOST_TEST(refusal("steps=2.5") == "schedule: got steps=2.5; it must be a whole number");
  BOOST_TEST(refusal("steps=0") == "schedule: got steps=0; it must be a number from 1 to 1000000000000");
  BOOST_TEST(refusal("steps=10,warmup=10") ==
             "schedule: warmup is 10 in a phase of 10 steps; it must be shorter than the phase");
  BOOST_TEST(error_of([] { Schedule("").rate_at(-1); }) ==
             "schedule: the step is -1; steps count from 1, and 0 is before the first");
}

BOOST_AUTO_TEST_CASE(a_phase_may_have_a_batch_and_a_part_of_every_window) {
  const Schedule s("steps=10,batch=16,windows=0.25;steps=5");
  BOOST_TEST(s.phase_at(10).batch == 16);
  BOOST_TEST(s.phase_at(10).windows == 0.25);
  BOOST_TEST(s.phase_at(11).batch == 0);
  BOOST_TEST(s.phase_at(11).windows == 1);
  BOOST_TEST(s.past_of_phase(1) == 0);
  BOOST_TEST(s.past_of_phase(10) == 9);
  BOOST_TEST(s.past_of_phase(12) == 1);
  BOOST_TEST(Schedule(s.text()).text() == s.text());
  BOOST_TEST(Schedule(s.text()).phase_at(1).batch == 16);
  BOOST_TEST(error_of([] { Schedule("steps=10,windows=0"); }) ==
             "schedule: windows is 0; it is a part of every layer's own window, above 0 and at most 1");
}

BOOST_AUTO_TEST_CASE(a_phase_may_have_a_part_of_the_context) {
  const Schedule s("contexts=0.25;contexts=0.001;context=100;steps=5");
  BOOST_TEST(s.phases()[0].context_of(512) == 128);
  BOOST_TEST(s.phases()[1].context_of(512) == 1);  // never none
  BOOST_TEST(s.phases()[2].context_of(512) == 100);
  BOOST_TEST(s.phases()[3].context_of(512) == 512);
  BOOST_TEST(Schedule(s.text()).text() == s.text());
  BOOST_TEST(error_of([] { Schedule("contexts=0"); }) ==
             "schedule: contexts is 0; it is a part of the model's context, above 0 and at most 1");
  BOOST_TEST(error_of([] { Schedule("context=64,contexts=0.5"); }) ==
             "schedule: context is 64 and contexts is 0.5; a phase says one of them");
}

BOOST_AUTO_TEST_SUITE_END()
