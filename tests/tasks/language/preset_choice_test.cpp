// Which preset suits a text and the time there is, and what is said about a very short text.
#include "tasks/language/preset_choice.h"

#include "tests/support/error_of.h"

using namespace heed;

BOOST_AUTO_TEST_SUITE(preset_choice_test)

namespace {

const std::vector<std::string> kNames = {"tiny", "small", "base"};

// A machine that takes so many steps of tiny in a second.
PresetChoice choice(double seconds, long bytes, double steps_per_second = 30) {
  const auto facts = [&](const std::string& name) {
    const double steps = seconds * steps_per_second;
    return name == "small" ? PresetFacts{3'200'000, steps / 15} : PresetFacts{38'000'000, steps / 300};
  };
  return chosen_preset(kNames, facts, bytes, seconds);
}

}  // namespace

BOOST_AUTO_TEST_CASE(little_time_takes_the_smallest_and_says_why) {
  const PresetChoice two = choice(120, 100'000'000);
  BOOST_TEST(two.name == "tiny");
  BOOST_TEST(two.why ==
             "in 2 min 00 s small would take about 240 steps, and with fewer than 3000 it learns less than tiny");
  BOOST_TEST(choice(3600, 100'000'000).name == "small");
  BOOST_TEST(choice(3600, 100'000'000).why ==
             "in 1 h 00 min base would take about 360 steps, and with fewer than 3000 it learns less than small");
  const PresetChoice night = choice(100'000, 90'000'000);
  BOOST_TEST(night.name == "base");
  BOOST_TEST(night.why == "in 27 h 46 min it takes about 10000 steps, and there are 90.0 million bytes to learn");
  BOOST_TEST(choice(120, 100'000'000, 3000).name == "small");  // a faster machine
}

BOOST_AUTO_TEST_CASE(a_short_text_takes_the_smallest_and_says_why) {
  const PresetChoice hour = choice(3600, 1'003'854);
  BOOST_TEST(hour.name == "tiny");
  BOOST_TEST(hour.why ==
             "there are 1.0 million bytes to learn, and small, with 3.2 million weights, would soon know "
             "them by heart");
  BOOST_TEST(choice(3600, 600).why.starts_with("there are 0.001 million bytes"));
}

BOOST_AUTO_TEST_CASE(a_larger_preset_is_not_asked_for_in_vain) {
  long asked = 0;
  const auto facts = [&](const std::string&) { return asked++, PresetFacts{3'200'000, 10}; };
  BOOST_TEST(chosen_preset(kNames, facts, 1000, 60).name == "tiny");
  BOOST_TEST(asked == 1);
  BOOST_TEST(chosen_preset({"tiny"}, facts, 1000, 60).why == "it is the smallest");
  BOOST_TEST(error_of([&] { chosen_preset({}, facts, 1000, 60); }) ==
             "chosen_preset: there is no preset to choose from");
}

BOOST_AUTO_TEST_CASE(a_text_of_a_few_hundred_bytes_is_noted) {
  BOOST_TEST(note_on_little_text(540, 30).starts_with("there are only 540 bytes to learn, and 30 to validate: "));
  BOOST_TEST(note_on_little_text(10'000, 500) == "");
}

BOOST_AUTO_TEST_SUITE_END()
