// Cutting, resizing and grey.
#include "data/images/image.h"

#include "tests/support/error_of.h"

using namespace heed;

BOOST_AUTO_TEST_SUITE(image_test)

namespace {

using Bytes = std::vector<uint8_t>;

Image grey(long rows, long columns, const Bytes& pixels) {
  return {.rows = rows, .columns = columns, .channels = 1, .pixels = pixels};
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_smaller_picture_is_the_mean_over_areas) {
  BOOST_TEST(square_of(grey(2, 2, {0, 10, 20, 31}), 1).pixels == (Bytes{15}));
  const Image four = grey(4, 4, {0, 4, 8, 8, 8, 4, 8, 8, 1, 1, 200, 200, 1, 1, 200, 201});
  BOOST_TEST(square_of(four, 2).pixels == (Bytes{4, 8, 1, 200}));
  // 3 -> 2: the first pixel covers 1 and a half of the three
  BOOST_TEST(square_of(grey(3, 3, {90, 0, 0, 90, 0, 0, 90, 0, 0}), 2).pixels == (Bytes{60, 0, 60, 0}));
}

BOOST_AUTO_TEST_CASE(a_larger_picture_repeats_pixels) {
  BOOST_TEST(square_of(grey(1, 1, {7}), 2).pixels == (Bytes{7, 7, 7, 7}));
  BOOST_TEST(square_of(grey(2, 2, {0, 90, 0, 90}), 3).pixels == (Bytes{0, 45, 90, 0, 45, 90, 0, 45, 90}));
}

BOOST_AUTO_TEST_CASE(the_square_in_the_middle_is_taken) {
  BOOST_TEST(square_of(grey(1, 5, {1, 2, 3, 4, 5}), 1).pixels == (Bytes{3}));
  BOOST_TEST(square_of(grey(4, 2, {1, 1, 2, 2, 3, 3, 4, 4}), 2).pixels == (Bytes{2, 2, 3, 3}));
}

BOOST_AUTO_TEST_CASE(channels_stay_apart) {
  const Image two{.rows = 2, .columns = 2, .channels = 3, .pixels = {0, 1, 2, 0, 1, 2, 0, 1, 2, 100, 101, 102}};
  BOOST_TEST(square_of(two, 1).pixels == (Bytes{25, 26, 27}));
}

BOOST_AUTO_TEST_CASE(grey_is_how_bright_a_colour_looks) {
  const Image colours{.rows = 1, .columns = 3, .channels = 3, .pixels = {255, 0, 0, 0, 255, 0, 9, 9, 9}};
  BOOST_TEST(grey_of(colours).pixels == (Bytes{76, 150, 9}));
  BOOST_TEST(colour_of(grey(1, 2, {5, 6})).pixels == (Bytes{5, 5, 5, 6, 6, 6}));
}

BOOST_AUTO_TEST_CASE(what_is_no_picture_is_refused) {
  BOOST_TEST(error_of([] {
               square_of(grey(2, 2, {1, 2, 3}), 1);
             }) ==
             "square_of: the picture is 2 x 2 with 1 channels and has 3 bytes; it must have a pixel at least, 1 or 3 "
             "channels, and a byte for each");
  BOOST_TEST(error_of([] { square_of(grey(1, 1, {1}), 0); }) == "square_of: the size is 0; it must be at least 1");
}

BOOST_AUTO_TEST_SUITE_END()
