// Local attention of the Image Transformer: the sequence is cut into blocks of queries, and all queries of a block see
// the same keys, the block itself and a margin around it. A block alone (`local`) never hears of its neighbours; the
// margin lets it, and costs less than whole blocks beside it.
//
// In its 1-D form blocks are runs of tokens. An image is read row by row, its channels one after another, so a margin
// of several rows lets a pixel see those above it:
//
//   A(i) = { j : s_i - margin <= j < s_i + block + margin },   s_i = block floor(p_i / block)
//
// s_i is the first token of the query's block. Under a causal mask only j <= p_i is left of it: the margin before the
// block is then all that there is (the paper's l_q = block, l_m = margin), and both sides count in an encoder.
//
// In its 2-D form (query=8x16) blocks are rectangles of hq rows and wq columns, cut at the edges of the image, and the
// margin is a flange of mh rows and mw columns on all four sides:
//
//   A(i) = { j : top - mh <= row(j) <= bottom + mh,  left - mw <= column(j) <= right + mw }      of the block of i
//
// Its tokens must come block by block, each row by row (pixel order blocks:8x16): then everything above, and to the
// left in the same rows, is finished when a block begins, and causal is j <= i as ever. What a causal mask leaves is
// the paper's: the block up to the pixel itself, mh rows above with mw columns on either side, mw columns to the left.
//
// Time O(n (block + 2 margin) D), in 2-D O(n (hq + 2 mh) (wq + 2 mw) D), memory O(n D). It pays off for long sequences
// whose neighbours say most, such as pixels: all queries of a block read the same keys, in whole tiles if 64 divides
// the block and the flange is as large as the block. It loses to `window` where every query should look equally far
// (the first query of a block sees `margin` tokens before it, the last one block - 1 more), and to `full` where one
// jump across the picture is what the task needs: after four layers a token has heard of nothing more than 4 (block +
// margin) away. Decoding keeps the last block + margin keys, in 2-D the rows of blocks that the flange touches. With
// margin >= block a sequence of up to 2 block tokens has full attention. (Image Transformer: Parmar et al., 2018.)
#include <algorithm>

#include "attention/multi_head.h"
#include "attention/pattern_core.h"
#include "attention/ranges_core.h"
#include "system/ceil_div.h"

namespace heed {
namespace {

constexpr const char *kUsualSize = "128", *kUsualFlange = "8x16";  // of block and margin; of flange

struct Size {
  long rows, columns;
};

// An image that is stored block by block
struct BlockedImage {
  Size size, block, flange;

  struct Rectangle {
    long top, left, bottom, right;  // the last ones belong to it
  };

  Rectangle block_at(long top, long left) const {
    return {top, left, std::min(top + block.rows, size.rows) - 1, std::min(left + block.columns, size.columns) - 1};
  }
  // The block in which position p lies. All rows of blocks before its own are complete.
  Rectangle block_of(long p) const {
    const long top = p / (block.rows * size.columns) * block.rows;
    const long height = std::min(block.rows, size.rows - top);
    return block_at(top, (p - top * size.columns) / (height * block.columns) * block.columns);
  }
  // The position of a pixel of block b
  static long position(const Rectangle& b, long columns, long row, long column) {
    const long height = b.bottom - b.top + 1, width = b.right - b.left + 1;
    return b.top * columns + height * b.left + (row - b.top) * width + column - b.left;
  }

  // The pixels of `seen` that lie in block b, as ranges behind those that are there. Side by side they become one.
  void add(std::vector<KeyRange>& ranges, const Rectangle& b, const Rectangle& seen) const {
    const long left = std::max(b.left, seen.left), right = std::min(b.right, seen.right);
    for (long row = std::max(b.top, seen.top); row <= std::min(b.bottom, seen.bottom); row++) {
      const KeyRange now{position(b, size.columns, row, left), position(b, size.columns, row, right)};
      if (!ranges.empty() && ranges.back().last + 1 == now.first)
        ranges.back().last = now.last;
      else
        ranges.push_back(now);
    }
  }
};

class ImageBlocksCore : public RangesCore {
 public:
  ImageBlocksCore(const MixerOptions& mixer, const BlockedImage& image, const BiasMaker& bias)
      : RangesCore(mixer, bias), image_(image) {}

  Capabilities can() const override {
    Capabilities can = every_mask();
    can.needs_max_length = true;
    can.rotary = allows_rotary();
    can.because = "its pattern is one of pixels in one image";
    return can;
  }

  // From the end of a row of blocks to the start of the first one that the flange touches
  long reach() const override {
    return (ceil_div(image_.flange.rows, image_.block.rows) + 1) * image_.block.rows * image_.size.columns - 1;
  }

  std::string key() const override {
    std::string text = "image blocks";
    for (const Size& size : {image_.size, image_.block, image_.flange})
      text.append(" ").append(std::to_string(size.rows)).append("x").append(std::to_string(size.columns));
    return text;
  }

  SeenKeys keys(long, long p, long) const override {
    const auto own = image_.block_of(p);
    const auto& [size, block, flange] = image_;
    const BlockedImage::Rectangle seen{std::max(own.top - flange.rows, 0L), std::max(own.left - flange.columns, 0L),
                                       std::min(own.bottom + flange.rows, size.rows - 1),
                                       std::min(own.right + flange.columns, size.columns - 1)};
    SeenKeys keys{BlockedImage::position(own, size.columns, own.bottom, own.right) + 1, {}};
    for (long top = seen.top / block.rows * block.rows; top <= seen.bottom; top += block.rows)
      for (long left = seen.left / block.columns * block.columns; left <= seen.right; left += block.columns)
        image_.add(keys.keys, image_.block_at(top, left), seen);
    return keys;
  }

 private:
  BlockedImage image_;
};

Size size_of(const VariantOptions& options, const char* name) {
  const std::vector<long> numbers = options.numbers(name);
  HEED_CHECK(numbers.size() == 2, "image-local", "got ", name, "=", options.word(name),
             "; it must be rows and columns, such as 8x16");
  return {numbers[0], numbers[1]};
}

std::string text_of(const Size& size) { return std::to_string(size.rows) + "x" + std::to_string(size.columns); }

// Blocks of whole rows, or of one row, are read row by row.
bool is_raster(const Size& block, const Grid& grid) { return block.rows == 1 || block.columns == grid.columns; }

// Of the model, or of the option in a model that knows of no image
Grid grid_of(const VariantOptions& options, const MixerOptions& mixer, const Size& query) {
  const Size given = size_of(options, "grid");
  const Grid& known = mixer.grid;
  const bool none = given.rows == 0 && given.columns == 0;
  HEED_CHECK(!none || known.rows > 0, "image-local", "got query=", text_of(query),
             " and no image; give its sizes, such as grid=32x32, or use it in a model of pictures");
  if (known.rows == 0) {
    HEED_CHECK(given.rows > 0 && given.columns > 0, "image-local", "got grid=", text_of(given),
               "; an image has at least one row and one column");
    return {given.rows, given.columns, query.rows, query.columns};  // whoever gives it must keep to the order
  }
  HEED_CHECK(none || (given.rows == known.rows && given.columns == known.columns), "image-local",
             "got grid=", text_of(given), "; the model's pictures are ", text_of({known.rows, known.columns}),
             ". Leave it away");
  return known;
}

BlockedImage image_of(const VariantOptions& options, const MixerOptions& mixer) {
  const Size query = size_of(options, "query"), flange = size_of(options, "flange");
  HEED_CHECK(query.rows > 0 && query.columns > 0, "image-local", "got query=", text_of(query),
             "; a block has at least one row and one column");
  HEED_CHECK(options.word("block") == kUsualSize && options.word("margin") == kUsualSize, "image-local",
             "got query=", text_of(query),
             " and block or margin; those are of the 1-D form. Give flange= beside query=");
  const Grid grid = grid_of(options, mixer, query);
  const Size block{std::min(query.rows, grid.rows), std::min(query.columns, grid.columns)};
  const Size order = grid.block_rows == 0
                         ? Size{1, grid.columns}
                         : Size{std::min(grid.block_rows, grid.rows), std::min(grid.block_columns, grid.columns)};
  HEED_CHECK((is_raster(block, grid) && is_raster(order, grid)) ||
                 (block.rows == order.rows && block.columns == order.columns),
             "image-local", "got query=", text_of(query), "; the model reads its pixels ",
             is_raster(order, grid) ? "row by row (raster)" : "in blocks:" + text_of(order),
             ", and every block must be complete before the next one. Set the pixel order to blocks:", text_of(query),
             " (igpt: --order blocks:", text_of(query), ")");
  HEED_CHECK(mixer.max_length <= grid.rows * grid.columns, "image-local", "got an image of ",
             text_of({grid.rows, grid.columns}), ", ", grid.rows * grid.columns, " pixels; the model takes up to ",
             mixer.max_length, " tokens (max_length). Give a larger grid");
  return {{grid.rows, grid.columns}, block, flange};
}

std::vector<VariantOption> options() {
  std::vector<VariantOption> list = {
      {.name = "block", .help = "tokens in a block of queries", .standard = kUsualSize, .low = 1, .high = 1e6},
      {.name = "margin", .help = "tokens seen before and after it", .standard = kUsualSize, .low = 0, .high = 1e6},
      {.name = "query", .help = "2-D: rows and columns of a block", .standard = "0x0", .high = 1e6, .parted_by = 'x'},
      {.name = "flange",
       .help = "2-D: rows and columns around it",
       .standard = kUsualFlange,
       .high = 1e6,
       .parted_by = 'x'},
      {.name = "grid",
       .help = "2-D: of the image; 0x0: the model's",
       .standard = "0x0",
       .high = 1e6,
       .parted_by = 'x'}};
  for (const VariantOption& option : bias_options()) list.push_back(option);
  return list;
}

const RegisteredVariant image_local{
    {.name = "image-local",
     .summary = "a query sees its own block and a margin around it",
     .formula = "o_i over j in s_i - m .. s_i + b + m, s_i the first of i's block: softmax attention",
     .time = {Growth::linear, "(b + m)"},
     .memory = {Growth::linear},
     .source = "Parmar et al., 2018",
     .year = 2018,
     .when = "long sequences whose neighbours say most, such as pixels: all queries of a block read the same keys",
     .when_not = "every query should look equally far, or one jump across the picture is what the task needs",
     .shown = {"image-local", "image-local:query=8x16,flange=8x16,grid=512x64"},
     .options = options,
     .make = [](const VariantOptions& options, const MixerOptions& mixer) -> std::unique_ptr<Mixer> {
       if (options.word("query") != "0x0")
         return multi_head<ImageBlocksCore>(mixer, image_of(options, mixer), bias_of(options));
       HEED_CHECK(options.word("flange") == kUsualFlange && options.word("grid") == "0x0", "image-local",
                  "got flange=", options.word("flange"), " and grid=", options.word("grid"),
                  "; they are of the 2-D form. Give query= beside them, such as query=8x16");
       const long margin = options.number("margin");
       PatternOptions pattern{
           .pattern = {.block = options.number("block"), .margin_left = margin, .margin_right = margin},
           .bias = bias_of(options)};
       return multi_head<PatternCore>(mixer, pattern);
     }}};

}  // namespace
}  // namespace heed
