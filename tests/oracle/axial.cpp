// axial: token i stands in row i / W and column i % W of a grid that is W wide, that of the option or of the model. A
// query sees the keys of its row, of its column, or of both; alternate: of its row in layers of an even number.
#include "tests/oracle/position_bias.h"

using namespace heed;

namespace {

Sees sees(const OracleCase& c) {
  const std::vector<long> given = c.options.numbers("grid");
  const long W = given.back() == 0 ? c.sizes.grid.columns : given.back();
  const std::string axis = c.options.word("axis");
  const bool even = c.sizes.layer % 2 == 0;
  const bool rows = axis == "rows" || axis == "merged" || (axis == "alternate" && even);
  const bool columns = axis == "columns" || axis == "merged" || (axis == "alternate" && !even);
  return [=, causal = c.options.yes("causal")](const OraclePair& pair) {
    if (causal && pair.j > pair.i) return false;
    return (rows && pair.i / W == pair.j / W) || (columns && pair.i % W == pair.j % W);
  };
}

// All sizes with a grid that is five columns wide and long enough for every property
MixerOptions on_grid(MixerOptions sizes, long layer = 0) {
  sizes.grid = {1000, 5}, sizes.layer = layer, sizes.layers = 2;
  return sizes;
}

const RegisteredOracle axial{
    {.name = "axial",
     .specs = {"axial:axis=columns", "axial:axis=merged", "axial:axis=rows,grid=7",
               "axial:axis=columns,grid=7,causal=yes", "axial:axis=merged,grid=2000x4,causal=yes",
               "axial:axis=rows,grid=200x100,bias=alibi", "axial:axis=columns,grid=3,bias=t5",
               "axial:axis=merged,grid=6,bias=shaw,clip=3", "axial:axis=merged,grid=64", "axial:axis=columns,grid=2"},
     .sees = sees,
     .bias = position_bias,
     .sizes = on_grid(kOracleSizes),
     .other_sizes = {on_grid({.C = 12, .heads = 3}), on_grid({.C = 6, .heads = 1, .bias = false}, 1),
                     on_grid({.C = 7, .heads = 5, .key_heads = 1, .head_width = 2}),
                     on_grid({.C = 4, .heads = 6, .key_heads = 3, .head_width = 1, .value_width = 8}, 1)},
     .equal_full = {{"axial:axis=rows,grid=1000", "full"},
                    {"axial:axis=merged,grid=1000", "full"},
                    {"axial:axis=columns,grid=1", "full"},
                    {"axial:axis=merged,grid=1", "full"},
                    {"axial:axis=rows,grid=16", "local:block=16"},
                    {"axial:axis=rows,grid=9,bias=t5", "local:block=9,bias=t5"},
                    {"axial:axis=columns,grid=8", "window:left=-1,right=-1,dilation=8"},
                    {"axial:axis=columns,grid=3,bias=alibi", "window:left=-1,right=-1,dilation=3,bias=alibi"},
                    {.spec = "axial:axis=rows,grid=1000,causal=yes", .full = "full", .only_causal = true}}}};

}  // namespace
