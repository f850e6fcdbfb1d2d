// Small maps of attention: which colour each pair gets.
#include "show/attention_map.h"

#include "show/picture.h"
#include "show/svg.h"
#include "tensor/create.h"
#include "tests/support/error_of.h"

using namespace heed;
using palette::kAhead, palette::kElsewhere, palette::kHidden, palette::kOwn, palette::kSeen;

BOOST_AUTO_TEST_SUITE(attention_map_test)

namespace {

Tensor weights(const std::vector<double>& numbers, long H, long n) { return from_vector(numbers, {H, n, n}); }

// One pixel a pair
std::vector<Colour> pixels(const AttentionMap& map, long n) {
  Picture picture(n, n);
  draw_attention_map(picture, {0, 0, double(n), double(n)}, map);
  std::vector<Colour> all;
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++) all.push_back(picture.at(j, i));
  return all;
}

}  // namespace

BOOST_AUTO_TEST_CASE(what_is_seen_causally_is_darker_than_what_is_seen_ahead) {
  const AttentionMap map{.both = weights({.5, .5, .5, .5}, 1, 2), .causal = weights({1, 0, .5, .5}, 1, 2)};
  BOOST_TEST((pixels(map, 2) == std::vector<Colour>{kOwn, kAhead, kSeen, kOwn}));
  BOOST_TEST((pixels({.both = map.both}, 2) == std::vector<Colour>{kOwn, kAhead, kAhead, kOwn}));
  BOOST_TEST((pixels({.causal = map.causal}, 2) == std::vector<Colour>{kOwn, kHidden, kSeen, kOwn}));
}

BOOST_AUTO_TEST_CASE(what_only_another_head_sees_has_a_colour_of_its_own) {
  const AttentionMap map{.both = weights({1, 0, 0, 1, 0, 1, 0, 1}, 2, 2)};
  BOOST_TEST((pixels(map, 2) == std::vector<Colour>{kOwn, kElsewhere, kHidden, kOwn}));
}

BOOST_AUTO_TEST_CASE(strength_goes_by_the_largest_weight_of_a_row) {
  const std::vector<Colour> got = pixels({.both = weights({.2, .1, .4, 0}, 1, 2), .strength = true}, 2);
  BOOST_TEST((got[0] == kSeen && got[2] == kSeen && got[3] == kHidden));
  BOOST_TEST((got[1] == mix(kHidden, kSeen, 0.5)));
}

BOOST_AUTO_TEST_CASE(runs_of_one_colour_are_one_rectangle) {
  Svg svg(8, 8);
  draw_attention_map(svg, {0, 0, 8, 8}, {.both = weights(std::vector<double>(16, 1), 1, 4)});
  BOOST_TEST(svg.str().find("M2 0h6v2h-6zM0 2h2v2h-2zM4 2h4v2h-4z") != std::string::npos, svg.str());
}

BOOST_AUTO_TEST_CASE(the_legend_names_every_colour) {
  Svg svg(800, 30);
  draw_attention_legend(svg, {0, 20}, 10);
  for (const auto& [colour, meaning] : attention_colours()) {
    BOOST_TEST(svg.str().find(hex(colour)) != std::string::npos, meaning);
    BOOST_TEST(svg.str().find(">" + meaning + "<") != std::string::npos);
  }
  BOOST_TEST(attention_colours().size() == 5u);
}

BOOST_AUTO_TEST_CASE(maps_that_cannot_be_drawn_are_refused) {
  Svg svg(8, 8);
  BOOST_TEST(error_of([&] {
               draw_attention_map(svg, {0, 0, 8, 8}, {});
             }) == "draw_attention_map: there are no weights; give some, or causal ones");
  BOOST_TEST(error_of([&] {
               draw_attention_map(svg, {0, 0, 8, 8}, {.both = ones({2, 2}, f64)});
             }) == "draw_attention_map: the weights are (2, 2); they must be (H, T, S), and not empty");
}

BOOST_AUTO_TEST_SUITE_END()
