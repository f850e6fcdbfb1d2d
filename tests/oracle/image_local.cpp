// image-local: the sequence is cut into blocks from its first token on; a query sees the keys of its own block, and
// those at most `margin` tokens before its first or after its last one. With query= the tokens are pixels, block by
// block; a query sees those that are at most the flange away from its own block, in rows and in columns.
#include <algorithm>

#include "tests/oracle/position_bias.h"

using namespace heed;

namespace {

struct Pixel {
  long row, column, block_row, block_column;  // block: number of its block
};

// All pixels in the order in which they are stored
std::vector<Pixel> pixels_in_blocks(const std::vector<long>& grid, const std::vector<long>& block) {
  std::vector<Pixel> all;
  for (long r = 0; r * block[0] < grid[0]; r++)
    for (long c = 0; c * block[1] < grid[1]; c++)
      for (long row = r * block[0]; row < grid[0] && row / block[0] == r; row++)
        for (long column = c * block[1]; column < grid[1] && column / block[1] == c; column++)
          all.push_back({row, column, r, c});
  return all;
}

// How far x is outside of the block with this number
long outside(long x, long number, long size) {
  return std::max({0L, number * size - x, x - (number * size + size - 1)});
}

Sees sees_in_image(const OracleCase& c) {
  const std::vector<long> block = c.options.numbers("query"), flange = c.options.numbers("flange");
  return [=, pixels = pixels_in_blocks(c.options.numbers("grid"), block)](const OraclePair& pair) {
    const Pixel &i = pixels[size_t(pair.i)], &j = pixels[size_t(pair.j)];
    return outside(j.row, i.block_row, block[0]) <= flange[0] &&
           outside(j.column, i.block_column, block[1]) <= flange[1];
  };
}

Sees sees(const OracleCase& c) {
  if (c.options.word("query") != "0x0") return sees_in_image(c);
  const long block = c.options.number("block"), margin = c.options.number("margin");
  return [=](const OraclePair& pair) {
    const long first = pair.i - pair.i % block, last = first + block - 1;
    return pair.j < first ? first - pair.j <= margin : pair.j <= last || pair.j - last <= margin;
  };
}

MixerOptions long_sequences() {  // as long as any of the suite: an image says how long they may be
  MixerOptions sizes = kOracleSizes;
  sizes.max_length = 8192;
  return sizes;
}

const RegisteredOracle image_local{
    {.name = "image-local",
     .specs = {"image-local:block=4,margin=4", "image-local:query=2x3,flange=1x2,grid=1200x7",
               "image-local:query=3x4,flange=2x3,grid=840x10", "image-local:query=1x5,flange=2x0,grid=700x12,bias=t5",
               "image-local:block=1,margin=0", "image-local:block=5,margin=3", "image-local:block=3,margin=8",
               "image-local:block=32,margin=7,bias=alibi", "image-local:block=7,margin=2,bias=t5",
               "image-local:block=6,margin=1,bias=shaw,clip=3"},
     .sees = sees,
     .bias = position_bias,
     .sizes = long_sequences(),
     .equal_full = {{"image-local:block=1000,margin=0", "full"},
                    {"image-local:block=4,margin=1000", "full"},
                    {"image-local:query=9x9,flange=1000x1000,grid=92x92", "full"},
                    {"image-local:query=100x100,flange=0x0,grid=92x92", "full"},
                    {"image-local", "full", 256},  // two blocks
                    {"image-local:block=50,margin=51,bias=t5", "full:bias=t5", 100}},
     .public_errors = {{"the paper's own library", "takes a token whose vector is all zeros for padding",
                        "values_are_those_of_the_dense_computation"}}}};

}  // namespace
