// Orders of pixels.
#include "models/pixel_order.h"

#include "tensor/create.h"
#include "tensor/views.h"
#include "tests/support/compare.h"
#include "tests/support/error_of.h"

using namespace heed;

BOOST_AUTO_TEST_SUITE(pixel_order_test)

BOOST_AUTO_TEST_CASE(blocks_are_read_one_after_the_other) {
  BOOST_TEST((PixelOrder("raster", 2, 3).pixels() == std::vector<int64_t>{0, 1, 2, 3, 4, 5}));
  BOOST_TEST((PixelOrder("blocks:2x2", 2, 4).pixels() == std::vector<int64_t>{0, 1, 4, 5, 2, 3, 6, 7}));
  // at the edges they are cut
  BOOST_TEST((PixelOrder("blocks:2x2", 3, 3).pixels() == std::vector<int64_t>{0, 1, 3, 4, 2, 5, 6, 7, 8}));
  BOOST_TEST(PixelOrder("blocks:2x4", 6, 4).is_raster());
  BOOST_TEST(PixelOrder("blocks:100x100", 6, 4).is_raster());
  BOOST_TEST(!PixelOrder("blocks:2x2", 6, 4).is_raster());
}

BOOST_AUTO_TEST_CASE(attentions_are_told_the_sizes_and_the_order) {
  const auto told = [](const char* spec, long rows, long columns) {
    const Grid grid = PixelOrder(spec, rows, columns).grid();
    return std::vector<long>{grid.rows, grid.columns, grid.block_rows, grid.block_columns};
  };
  BOOST_TEST((told("raster", 6, 4) == std::vector<long>{6, 4, 0, 0}));
  BOOST_TEST((told("blocks:2x4", 6, 4) == std::vector<long>{6, 4, 0, 0}));  // row by row, too
  BOOST_TEST((told("blocks:2x3", 6, 4) == std::vector<long>{6, 4, 2, 3}));
  BOOST_TEST((told("blocks:9x3", 6, 4) == std::vector<long>{6, 4, 6, 3}));
}

BOOST_AUTO_TEST_CASE(back_and_forth_is_the_same_picture) {
  const PixelOrder order("blocks:3x2", 7, 5);
  const Tensor ids = reshape(arange(70), {2, 35});
  BOOST_TEST(!same_bits(order.ordered(ids), ids));
  BOOST_TEST(same_bits(order.unordered(order.ordered(ids)), ids));
  BOOST_TEST(same_bits(order.ordered(order.unordered(ids)), ids));
}

BOOST_AUTO_TEST_CASE(what_is_no_order_is_explained) {
  for (const std::string spec :
       {"spiral", "blocks", "blocks:", "blocks:4", "blocks:0x4", "blocks:4x-1", "blocks:4x4x4"})
    BOOST_TEST(error_of([&] { PixelOrder(spec, 8, 8); }) ==
               "pixel_order: '" + spec +
                   "' is no order of pixels; there are raster and blocks of rows and columns, such as blocks:4x8");
  BOOST_TEST(error_of([] {
               PixelOrder("raster", 2, 2).ordered(zeros({1, 3}, i64));
             }) == "pixel_order: the ids are (1, 3); they must be (B, 4), one for each pixel");
}

BOOST_AUTO_TEST_SUITE_END()
