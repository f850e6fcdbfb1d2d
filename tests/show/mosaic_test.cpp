#include "show/mosaic.h"

#include "tests/support/error_of.h"

using namespace heed;

BOOST_AUTO_TEST_SUITE(mosaic_test)

BOOST_AUTO_TEST_CASE(pictures_stand_side_by_side_with_large_pixels) {
  Picture red(2, 1, rgb(0xff0000)), blue(2, 1, rgb(0x0000ff));
  red.pixel(1, 0, rgb(0x00ff00));
  const Picture all = mosaic({red, blue, blue}, {.columns = 2, .scale = 3, .gap = 1});
  BOOST_TEST(all.width() == 15);
  BOOST_TEST(all.height() == 9);
  BOOST_TEST((all.at(0, 0) == palette::kBackground));
  BOOST_TEST((all.at(1, 1) == rgb(0xff0000)));
  BOOST_TEST((all.at(3, 3) == rgb(0xff0000)));
  BOOST_TEST((all.at(4, 1) == rgb(0x00ff00)));
  BOOST_TEST((all.at(8, 3) == rgb(0x0000ff)));
  BOOST_TEST((all.at(1, 5) == rgb(0x0000ff)));
  BOOST_TEST((all.at(8, 5) == palette::kBackground));
}

BOOST_AUTO_TEST_CASE(a_small_picture_becomes_about_84_wide_and_columns_have_heads) {
  BOOST_TEST(mosaic({Picture(14, 14)}).width() == 84 + 8);
  BOOST_TEST(mosaic({Picture(64, 64)}).width() == 128 + 8);
  BOOST_TEST(mosaic({Picture(14, 14)}, {.heads = {"a"}}).height() == 84 + 8 + 26);
}

BOOST_AUTO_TEST_CASE(the_size_is_known_before_anything_is_drawn) {
  for (const long count : {1, 2, 3, 7})
    for (const MosaicOptions& o : {MosaicOptions{}, MosaicOptions{.columns = 2, .scale = 3, .heads = {"a"}}}) {
      const Picture all = mosaic(std::vector<Picture>(size_t(count), Picture(5, 4)), o);
      const MosaicSize size = mosaic_size(count, 5, 4, o);
      BOOST_TEST(size.width == all.width());
      BOOST_TEST(size.height == all.height());
    }
  BOOST_TEST(mosaic_size(100, 64, 64).possible());
  BOOST_TEST(!mosaic_size(10000, 64, 64).possible());
}

BOOST_AUTO_TEST_CASE(what_does_not_fit_is_refused) {
  BOOST_TEST(error_of([] { mosaic({}); }) ==
             "mosaic: there are 0 pictures for 10 columns; at least one is needed of both");
  BOOST_TEST(error_of([] {
               mosaic({Picture(2, 2), Picture(3, 2)});
             }) == "mosaic: a picture is 3 x 2 and the first one 2 x 2; they must be equal");
}

BOOST_AUTO_TEST_CASE(pictures_below_each_other_have_titles) {
  const Picture all = stacked({{"first", Picture(10, 5, rgb(0xff0000))}, {"second", Picture(20, 6, rgb(0x0000ff))}});
  BOOST_TEST(all.width() == 20);
  BOOST_TEST(all.height() == 36 + 5 + 36 + 6);
  BOOST_TEST((all.at(0, 36) == rgb(0xff0000)));
  BOOST_TEST((all.at(19, 77) == rgb(0x0000ff)));
  BOOST_TEST(error_of([] { stacked({}); }) == "stacked: there are no pictures; give at least one");
}

BOOST_AUTO_TEST_SUITE_END()
