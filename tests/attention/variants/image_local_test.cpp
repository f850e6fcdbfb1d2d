// What image-local promises in two dimensions beyond the property suite: the picture of the paper's rule, also where
// blocks are cut at the edges; what is equal to its 1-D form; and orders of pixels that it cannot have are told.
#include "models/pixel_order.h"
#include "tensor/profile.h"
#include "tests/oracle/suite.h"
#include "tests/support/compare.h"
#include "tests/support/error_of.h"

using namespace heed;

namespace {

using Map = std::vector<std::vector<bool>>;  // by query and key

MixerOptions sizes(long rows, long columns, const std::string& order) {
  return {.C = 8, .heads = 2, .max_length = rows * columns, .grid = PixelOrder(order, rows, columns).grid()};
}

// Who sees whom, in the order of the tokens
Map seen(const std::string& spec, const MixerOptions& options, const Mask& mask) {
  Context ctx;
  const auto mixer = make_mixer(spec, options);
  mixer->cast_parameters(f64);
  const long n = options.max_length;
  const auto weights = mixer->weights(noise({1, n, options.C}, 1), {.mask = mask}, ctx).to_vector<double>();
  Map map(static_cast<size_t>(n));
  for (long i = 0; i < n * n; i++) map[size_t(i / n)].push_back(weights[size_t(i)] > 0);
  return map;
}

// Rows and columns by pixels, row by row
std::string picture_by_pixels(const Map& map, const PixelOrder& order) {
  const size_t n = map.size();
  std::vector<std::string> rows(n, std::string(n, '.'));
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < n; j++)
      if (map[i][j]) rows[size_t(order.pixels()[i])][size_t(order.pixels()[j])] = '#';
  std::string text;
  for (const std::string& row : rows) text += row + "\n";
  return text;
}

// The paper's rule for pixels (row, column) in raster order, by places in the order: the block itself up to the pixel,
// rows above it with the flange on both sides, and columns to its left.
struct Rule {
  long rows, columns, hq, wq, mh, mw;

  bool sees(const PixelOrder& order, long i, long j) const {
    const auto pixel = [&](long place) {
      return std::pair(order.pixels()[size_t(place)] / columns, order.pixels()[size_t(place)] % columns);
    };
    const auto [row, column] = pixel(i);
    const auto [r, c] = pixel(j);
    const long top = row / hq * hq, left = column / wq * wq;
    const bool own = r / hq == row / hq && c / wq == column / wq;
    if (own) return j <= i;
    if (r < top) return r >= top - mh && c >= left - mw && c <= left + wq - 1 + mw;
    return r <= top + hq - 1 && c >= left - mw && c < left;
  }
};

std::string refusal(const std::string& spec, const MixerOptions& options) {
  return error_of([&] { make_mixer(spec, options); });
}

}  // namespace

BOOST_AUTO_TEST_SUITE(image_local_test)

BOOST_AUTO_TEST_CASE(blocks_of_4_pixels_with_a_flange_of_1_look_like_this) {
  const Map map = seen("image-local:query=2x2,flange=1x1", sizes(4, 4, "blocks:2x2"), causal_mask());
  long pairs = 0;
  for (size_t i = 0; i < 16; i++)
    for (size_t j = 0; j < 16; j++) {
      pairs += map[i][j];
      BOOST_TEST((!map[i][j] || j <= i));
    }
  BOOST_TEST(pairs == 80);
  BOOST_TEST(picture_by_pixels(map, PixelOrder("blocks:2x2", 4, 4)) ==
             "#...............\n##..............\n.##..#..........\n.###.#..........\n"
             "##..#...........\n##..##..........\n.###.##.........\n.###.###........\n"
             "....###.#.......\n....###.##......\n.....###.##..#..\n.....###.###.#..\n"
             "....###.##..#...\n....###.##..##..\n.....###.###.##.\n.....###.###.###\n");
}

BOOST_AUTO_TEST_CASE(the_papers_rule_holds_where_blocks_are_cut_and_nothing_later_is_seen) {
  for (const Rule& rule :
       {Rule{5, 7, 2, 3, 1, 2}, {5, 7, 3, 2, 4, 1}, {9, 4, 4, 3, 0, 2}, {6, 6, 2, 2, 2, 2}, {3, 8, 2, 4, 9, 9}})
    BOOST_TEST_CONTEXT(rule.rows << " x " << rule.columns << " in " << rule.hq << " x " << rule.wq) {
      const std::string block = std::to_string(rule.hq) + "x" + std::to_string(rule.wq);
      const std::string flange = std::to_string(rule.mh) + "x" + std::to_string(rule.mw);
      const Map map = seen("image-local:query=" + block + ",flange=" + flange,
                           sizes(rule.rows, rule.columns, "blocks:" + block), causal_mask());
      const PixelOrder order("blocks:" + block, rule.rows, rule.columns);
      for (long i = 0; i < order.size(); i++)
        for (long j = 0; j < order.size(); j++)
          BOOST_REQUIRE(map[size_t(i)][size_t(j)] == (j <= i && rule.sees(order, i, j)));
    }
}

BOOST_AUTO_TEST_CASE(an_encoder_sees_the_flange_on_all_sides) {
  const Map map = seen("image-local:query=2x2,flange=1x1", sizes(6, 6, "blocks:2x2"), {});
  const size_t middle = 4 * 4;  // the first pixel of the block in the middle: rows and columns 2 and 3
  long pixels = 0;
  for (const bool sees : map[middle]) pixels += sees;
  BOOST_TEST(pixels == 16);
}

BOOST_AUTO_TEST_CASE(one_row_of_pixels_is_the_1d_form_and_one_block_is_full) {
  for (const bool causal : {false, true}) {
    const MixerOptions row = sizes(1, 40, "raster");
    BOOST_TEST((seen("image-local:query=1x8,flange=3x5", row, causal_if(causal)) ==
                seen("image-local:block=8,margin=5", row, causal_if(causal))));
    const MixerOptions image = sizes(5, 6, "raster");
    BOOST_TEST(
        (seen("image-local:query=5x6,flange=0x0", image, causal_if(causal)) == seen("full", image, causal_if(causal))));
  }
}

BOOST_AUTO_TEST_CASE(blocks_of_whole_tiles_are_looked_at_once_and_whole) {
  const auto tiles = [](const std::string& spec) {
    const long n = 64 * 64;
    MixerOptions options = sizes(64, 64, "blocks:8x16");
    Context ctx;
    const NoGrad no_grad;
    const auto mixer = make_mixer(spec, options);
    const Tensor x = noise({1, n, options.C}, 1, f32);
    Profile profile;
    mixer->forward(x, {.mask = causal_mask()}, ctx);
    profile.stop();
    double flops = 0;
    for (const ProfileRow& row : profile.rows())
      if (row.op == "softmax_attention") flops += row.flops;
    return std::lround(flops / (2 * 64 * 64 * 8) / 2);  // of each head, of 4 + 4 channels
  };
  // 8 rows of 4 blocks: 3 of the 2 x 2 tiles of the own block, and all of its left neighbour and of two or three above
  const long first = 4 * 3 + 3 * 4, others = first + (2 + 3 + 3 + 2) * 4;
  BOOST_TEST(tiles("image-local:query=8x16,flange=8x16") == first + 7 * others);
}

BOOST_AUTO_TEST_CASE(orders_and_sizes_that_do_not_fit_are_told) {
  BOOST_TEST(refusal("image-local:query=8x16", sizes(32, 32, "raster")) ==
             "image-local: got query=8x16; the model reads its pixels row by row (raster), and every block must be "
             "complete before the next one. Set the pixel order to blocks:8x16 (igpt: --order blocks:8x16)");
  BOOST_TEST(refusal("image-local:query=8x16", sizes(32, 32, "blocks:8x8")) ==
             "image-local: got query=8x16; the model reads its pixels in blocks:8x8, and every block must be complete "
             "before the next one. Set the pixel order to blocks:8x16 (igpt: --order blocks:8x16)");
  BOOST_CHECK_NO_THROW(make_mixer("image-local:query=8x16", sizes(32, 32, "blocks:8x16")));
  BOOST_CHECK_NO_THROW(make_mixer("image-local:query=8x32", sizes(32, 32, "raster")));
  BOOST_TEST(refusal("image-local:query=8x16", {.C = 8, .heads = 2}) ==
             "image-local: got query=8x16 and no image; give its sizes, such as grid=32x32, or use it in a model of "
             "pictures");
  BOOST_TEST(refusal("image-local:query=8x16,grid=16x16", sizes(32, 32, "blocks:8x16")) ==
             "image-local: got grid=16x16; the model's pictures are 32x32. Leave it away");
  BOOST_TEST(refusal("image-local:query=8x16,grid=16x16", {.C = 8, .heads = 2}) ==
             "image-local: got an image of 16x16, 256 pixels; the model takes up to 1024 tokens (max_length). Give a "
             "larger grid");
  BOOST_TEST(refusal("image-local:query=8x16,grid=0x16", {.C = 8, .heads = 2}) ==
             "image-local: got grid=0x16; an image has at least one row and one column");
  BOOST_TEST(refusal("image-local:query=8x0,grid=32x32", {.C = 8, .heads = 2}) ==
             "image-local: got query=8x0; a block has at least one row and one column");
  BOOST_TEST(refusal("image-local:query=8,grid=32x32", {.C = 8, .heads = 2}) ==
             "image-local: got query=8; it must be rows and columns, such as 8x16");
  BOOST_TEST(refusal("image-local:query=8x16,block=64,grid=32x32", {.C = 8, .heads = 2}) ==
             "image-local: got query=8x16 and block or margin; those are of the 1-D form. Give flange= beside query=");
  BOOST_TEST(refusal("image-local:flange=8x8", {.C = 8, .heads = 2}) ==
             "image-local: got flange=8x8 and grid=0x0; they are of the 2-D form. Give query= beside them, such as "
             "query=8x16");
}

BOOST_AUTO_TEST_SUITE_END()
