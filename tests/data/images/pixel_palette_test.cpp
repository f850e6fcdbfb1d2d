// Palettes: k-means++ in whole numbers, round trips, what there is if there is too little.
#include "data/images/pixel_palette.h"

#include <numeric>

#include "data/images/colour_means.h"
#include "tests/support/error_of.h"

using namespace heed;

BOOST_AUTO_TEST_SUITE(pixel_palette_test)

namespace {

using Colour = PixelPalette::Colour;

Images grey_levels(const std::vector<uint8_t>& levels) { return {.size = 1, .channels = 1, .pixels = levels}; }

// The sum of squared distances of pixels to their colours.
long error_with(const PixelPalette& palette, const Images& images) {
  const std::vector<uint8_t> nearest = palette.pixels(palette.ids(images.pixels));
  long sum = 0;
  for (size_t i = 0; i < nearest.size(); i++) sum += (nearest[i] - images.pixels[i]) * (nearest[i] - images.pixels[i]);
  return sum;
}

const ImageData& shapes() {
  static const ImageData data = ImageData::open("shapes:pictures=300", {.size = 16});
  return data;
}

}  // namespace

BOOST_AUTO_TEST_CASE(groups_of_levels_become_their_means) {
  const PixelPalette palette = PixelPalette::fit(grey_levels({0, 1, 2, 100, 102, 101, 250, 250, 251, 253}), 3);
  BOOST_TEST((palette.colours() == std::vector<Colour>{{1, 1, 1}, {101, 101, 101}, {251, 251, 251}}));
  BOOST_TEST((palette.ids(std::vector<uint8_t>{0, 60, 255}) == std::vector<uint16_t>{0, 1, 2}));
}

BOOST_AUTO_TEST_CASE(a_round_trip_is_exact) {
  for (const long colours : {2, 16, 100, 512}) {
    const PixelPalette palette = PixelPalette::fit(shapes().train, colours);
    BOOST_TEST(palette.size() <= colours);
    BOOST_TEST(palette.size() > colours * 9 / 10);
    std::vector<uint16_t> ids(size_t(palette.size()));
    std::iota(ids.begin(), ids.end(), uint16_t(0));
    BOOST_TEST(palette.ids(palette.pixels(ids)) == ids);
    const std::vector<uint16_t> all = palette.ids(shapes().train.pixels);
    BOOST_TEST((palette.ids(palette.pixels(all)) == all));
    BOOST_TEST((PixelPalette::from_saved(palette.saved(), "it").colours() == palette.colours()));
  }
}

BOOST_AUTO_TEST_CASE(large_and_small_calls_give_the_same_ids) {
  const PixelPalette palette = PixelPalette::fit(shapes().train, 32);
  const std::vector<uint16_t> all = palette.ids(shapes().train.pixels);
  std::vector<uint16_t> parts;
  for (long i = 0; i < shapes().train.count(); i++) {
    const std::vector<uint16_t> ids = palette.ids(shapes().train.picture(i));
    parts.insert(parts.end(), ids.begin(), ids.end());
  }
  BOOST_TEST((parts == all));
}

BOOST_AUTO_TEST_CASE(more_colours_are_nearer_and_the_same_everywhere) {
  const Images& images = shapes().train;
  const PixelPalette few = PixelPalette::fit(images, 8), many = PixelPalette::fit(images, 64);
  BOOST_TEST(error_with(many, images) * 3 < error_with(few, images));
  BOOST_TEST(few.saved() == PixelPalette::fit(images, 8).saved());
  BOOST_TEST(few.saved() ==
             R"({"channels":3,"colours":["131930","3a1311","482544","194343","3a4b17","7b817f","bb94ba","bfdfc0"]})");
}

BOOST_AUTO_TEST_CASE(fewer_colours_than_asked_are_taken_as_they_are) {
  const PixelPalette palette = PixelPalette::fit(grey_levels({9, 7, 7, 9, 200}), 16);
  BOOST_TEST((palette.colours() == std::vector<Colour>{{7, 7, 7}, {9, 9, 9}, {200, 200, 200}}));
  BOOST_TEST(PixelPalette::fit(grey_levels({5, 5}), 16).size() == 1);
}

// 35 x 35 x 35 colours in a corner: cubes of 2 x 2 x 2 are few enough, and no larger ones are taken.
BOOST_AUTO_TEST_CASE(too_many_colours_are_taken_together_as_little_as_needed) {
  const auto cube = [](long side, long step) {
    Images images{.size = 1, .channels = 3};
    for (long i = 0; i < side * side * side; i++)
      for (const long part : {i / side / side, i / side % side, i % side})
        images.pixels.push_back(uint8_t(part * step));
    return images;
  };
  BOOST_TEST(sampled_colours(cube(32, 1), 1).size() == 32u * 32 * 32);
  BOOST_TEST(sampled_colours(cube(35, 1), 1).size() == 18u * 18 * 18);
  BOOST_TEST(sampled_colours(cube(35, 2), 1).size() == 18u * 18 * 18);  // cubes of 4 x 4 x 4
}

BOOST_AUTO_TEST_CASE(bad_palettes_are_refused) {
  BOOST_TEST(error_of([] { PixelPalette::fit(grey_levels({1}), 513); }) ==
             "palette: 513 colours were asked for; 1 to 512 are possible");
  BOOST_TEST(error_of([] { PixelPalette::fit({.size = 14}, 2); }) ==
             "palette: there are no pictures to take colours from");
  BOOST_TEST(error_of([] {
               PixelPalette({{1, 2, 3}, {1, 2, 3}}, 3);
             }) == "palette: a colour stands in it twice; they must be different");
  BOOST_TEST(error_of([] { PixelPalette({{1, 2, 3}}, 1); }) == "palette: the pictures are grey, and a colour is not");
  BOOST_TEST(error_of([] {
               PixelPalette({{1, 1, 1}}, 1).pixels(std::vector<uint16_t>{1});
             }) == "palette: there is no colour 1; they are 0 to 0");
  const auto read = [](const std::string& text) { return error_of([&] { PixelPalette::from_saved(text, "it"); }); };
  BOOST_TEST(read(R"({"channels":3,"colours":["0a1b2"]})") ==
             "palette: the palette of it has '0a1b2' where a colour such as 0a1b2c was expected");
  BOOST_TEST(read(R"({"channels":3,"colours":[]})") == "palette: there are 0 colours; 1 to 512 are possible");
  BOOST_TEST(read(R"({"channels":2,"colours":["000000"]})") ==
             "palette: there are 2 channels; 1 (grey) or 3 are possible");
  BOOST_TEST(read("nonsense").find("the palette of it") != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()
