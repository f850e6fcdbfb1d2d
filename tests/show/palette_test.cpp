// The palette: colours mix, maps run from end to end, and dark screens have legible twins.
#include "show/palette.h"

#include <cmath>
#include <set>

#include "tests/support/error_of.h"

using namespace heed;
using palette::diverging, palette::sequential, palette::tones, palette::Tone;

BOOST_AUTO_TEST_SUITE(palette_test)

namespace {

// The contrast that the Web Content Accessibility Guidelines (WCAG 2) compute: 1 to 21; 4.5 is legible text.
double luminance(Colour c) {
  const auto linear = [](uint8_t byte) {
    const double x = byte / 255.0;
    return x <= 0.03928 ? x / 12.92 : std::pow((x + 0.055) / 1.055, 2.4);
  };
  return 0.2126 * linear(c.red) + 0.7152 * linear(c.green) + 0.0722 * linear(c.blue);
}
double contrast(Colour a, Colour b) {
  const auto [low, high] = std::minmax({luminance(a), luminance(b)});
  return (high + 0.05) / (low + 0.05);
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_colour_is_written_as_html_writes_it) {
  BOOST_TEST(hex(rgb(0x0a00ff)) == "#0a00ff");
  BOOST_TEST((rgb(0x0a00ff) == Colour{10, 0, 255}));
}

BOOST_AUTO_TEST_CASE(colours_mix_from_one_end_to_the_other) {
  const Colour a = rgb(0x102030), b = rgb(0xf0e0d0);
  BOOST_TEST((mix(a, b, 0) == a));
  BOOST_TEST((mix(a, b, 1) == b));
  BOOST_TEST((mix(a, b, 0.5) == rgb(0x808080)));
  BOOST_TEST((mix(a, b, NAN) == a));
  BOOST_TEST((mix(a, b, 7) == b));
}

BOOST_AUTO_TEST_CASE(the_diverging_map_is_blue_below_zero_and_orange_above) {
  BOOST_TEST(diverging(-1).blue > diverging(-1).red);
  BOOST_TEST(diverging(1).red > diverging(1).blue);
  BOOST_TEST((diverging(-3) == diverging(-1)));
  BOOST_TEST((diverging(-1e-9) == diverging(1e-9)));
  BOOST_CHECK_NO_THROW(diverging(NAN));
}

BOOST_AUTO_TEST_CASE(the_sequential_map_grows_darker) {
  for (double t = 0; t < 1; t += 0.125) BOOST_TEST(luminance(sequential(t)) > luminance(sequential(t + 0.125)));
  BOOST_TEST((sequential(-1) == sequential(0)));
  BOOST_TEST((sequential(2) == sequential(1)));
}

BOOST_AUTO_TEST_CASE(every_tone_has_a_name_and_a_colour_of_its_own) {
  std::set<std::string> names, colours;
  for (const Tone& tone : tones()) {
    BOOST_TEST(names.insert(tone.name).second, tone.name);
    BOOST_TEST(colours.insert(hex(tone.light)).second, tone.name);
  }
}

BOOST_AUTO_TEST_CASE(text_and_curves_are_legible_on_light_and_on_dark_screens) {
  const Tone& background = tones()[0];
  BOOST_REQUIRE((background.light == palette::kBackground));
  for (const Tone& tone : tones()) {
    const std::string name = tone.name;
    const std::set<std::string> areas = {"background", "card", "panel", "border", "pink",
                                         "hidden",     "seen", "own",   "ahead",  "elsewhere"};
    if (areas.contains(name)) continue;
    BOOST_TEST(contrast(tone.light, background.light) > 3.9, name);  // also text of the background's colour on it
    BOOST_TEST(contrast(tone.dark, background.dark) > 3.9, name);
  }
}

BOOST_AUTO_TEST_SUITE_END()
