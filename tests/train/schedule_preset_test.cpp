#include "train/schedule_preset.h"

#include <cmath>

#include "tests/support/error_of.h"
#include "tests/support/tiny_lm.h"

using namespace heed;

BOOST_AUTO_TEST_SUITE(schedule_preset_test)

BOOST_AUTO_TEST_CASE(longformer_doubles_windows_and_context_and_halves_the_rate) {
  LmSettings s = tiny_lm();
  s.schedule = "longformer", s.steps = 5700, s.rate = 0.01, s.batch = 3;
  const Schedule schedule = schedule_of(s);
  const std::vector<long> steps = {4300, 500, 500, 350, 50}, batches = {6, 6, 3, 3, 3};
  BOOST_TEST_REQUIRE(schedule.phases().size() == 5u);
  BOOST_TEST(schedule.steps() == 5700);
  for (size_t i = 0; i < 5; i++) {
    const Phase& phase = schedule.phases()[i];
    BOOST_TEST(phase.steps == steps[i]);
    BOOST_TEST(phase.batch == batches[i]);
    BOOST_TEST(phase.warmup == steps[i] / 10);
    BOOST_TEST(phase.windows == std::pow(2.0, double(i) - 4));
    BOOST_TEST(phase.context_of(512) == 32L << i);
    BOOST_TEST(std::abs(phase.rate - 0.01 / double(1 << i)) < 1e-15);
    BOOST_TEST(phase.rate_at(phase.steps) == phase.rate);  // constant behind the warm-up
  }
  s.steps = 1000000;
  BOOST_TEST(schedule_of(s).phases()[0].warmup == 10000);  // at most so many
}

BOOST_AUTO_TEST_CASE(short_runs_have_a_step_in_every_phase) {
  for (long steps : {5, 6, 11, 57, 100}) {
    LmSettings s = tiny_lm();
    s.schedule = "longformer", s.steps = steps;
    const Schedule schedule = schedule_of(s);
    BOOST_TEST(schedule.steps() == steps);
    BOOST_TEST(schedule.phases().size() == 5u);
    check_settings(s);
  }
}

BOOST_AUTO_TEST_CASE(a_preset_stands_alone_and_needs_enough_steps) {
  LmSettings s = tiny_lm();
  s.schedule = "longformer", s.steps = 4;
  BOOST_TEST(error_of([&] { schedule_of(s); }) ==
             "schedule: longformer has 5 phases and there are 4 steps; there must be at least one for each");
  s.schedule = "longformer:warmup=3";
  BOOST_TEST(error_of([&] { schedule_of(s); }) ==
             "schedule: got 'longformer:warmup=3'; longformer stands alone: its phases are made of the run's steps, "
             "rate, batch and context");
  BOOST_TEST(schedule_preset("cosine") == nullptr);
  BOOST_TEST(schedule_presets_text().starts_with("longformer (five phases, "));
}

BOOST_AUTO_TEST_SUITE_END()
