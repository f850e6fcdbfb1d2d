// Axial attention: tokens are the places of a grid, row by row, and a query sees those of its own row, or of its own
// column. A row and then a column reach every place: two layers do what one layer of full attention does, for the
// square root of its pairs.
//
//   rows:      A(i) = { j : floor(j / W) = floor(i / W) }            W: columns of the grid
//   columns:   A(i) = { j : j mod W = i mod W }
//   merged:    both at once, each pair counted once
//   alternate: rows in the layers 0, 2, 4, ..; columns in 1, 3, 5, ..
//
// Under a causal mask only j <= i is left of it; causal=yes asks for that whatever the mask says, so that one stack may
// have unmasked rows and masked columns (models/axial_transformer.h).
//
// Time O(n W D) for rows and O(n (n / W) D) for columns, so O(n sqrt(n) D) for a square image; memory O(n D). It pays
// off for images and all else that is a grid, from some thousand places on. It loses where neighbours that are in
// another row and column matter most in each single layer (image-local has them), and for text, which has no columns.
// Decoding keeps the row so far, or for columns all tokens. A 1-D sequence has a grid as soon as a row has a width:
// grid=64 cuts it into rows of 64 tokens.
//
// How it is computed: whole rows of the grid are only seen differently in memory, (B, n, H, D) as (B n / W, W, H, D)
// for rows, as (B, n / W, W H, D) for columns: then both are full attention, of more samples or of more heads, without
// a copy or an index. What is no whole row, has a bias, dropout or another mask takes the general way of PatternCore:
// blocks of W tokens, and residues mod W (column_views.h). (Axial Transformer: Ho et al., 2019.)
#include "attention/column_views.h"
#include "attention/multi_head.h"
#include "attention/pattern_core.h"
#include "attention/seeing/plan.h"
#include "attention/seeing/visible_once.h"
#include "autograd/ops/views.h"

namespace heed {
namespace {

enum class Axis { rows, columns, merged };

Pattern pattern_of(Axis axis, long W) { return axis == Axis::rows ? Pattern{.block = W} : Pattern{.dilation = W}; }

class AxialCore : public PatternCore {
 public:
  AxialCore(const MixerOptions& mixer, Axis axis, long W, const BiasMaker& bias)
      : PatternCore(mixer, {.pattern = pattern_of(axis, W), .bias = bias}), axis_(axis), W_(W) {}

  Capabilities can() const override {
    Capabilities can = PatternCore::can();
    can.cross = can.exact = false;  // nor is a grid of one column
    can.because = "its pattern is one of positions in one sequence";
    return can;
  }

  Variable attend(const Heads& heads, const Mask& mask, Context& ctx) override {
    const SoftmaxOptions draw = options(ctx);
    if (axis_ == Axis::rows) return rows(heads, mask, draw, ctx).o;
    if (axis_ == Axis::columns) return columns(heads, mask, draw, 0, ctx)[0].o;
    std::vector<SoftmaxOutputs> parts = columns(heads, mask, draw, 1, ctx);
    parts.insert(parts.begin(), rows(heads, mask, draw, ctx));
    return merge(parts).o;
  }

 protected:
  // Of merged: for pictures and tests.
  Visible seen(const Heads& heads, const Mask& mask, Context& ctx) override {
    if (axis_ != Axis::merged) return PatternCore::seen(heads, mask, ctx);
    const long T = heads.q.size(2), S = heads.k.size(2);
    Visible visible = visible_pairs("attention", mask, {}, {heads.q.size(0), heads.q.size(1), T, S});
    visible.plan = std::make_shared<const Plan>(plan_of_pairs({T, S}, [&](const PlanPair& pair) {
      const long p = pair.i + S - T;
      return p / W_ == pair.j / W_ || p % W_ == pair.j % W_;
    }));
    return visible.on(heads.q.value().device());
  }

 private:
  bool as_views(const Heads& heads, const Mask& mask, const SoftmaxOptions& draw) const {
    return !biased() && draw.dropout == 0 && whole_rows(heads, mask, W_);
  }

  SoftmaxOutputs rows(const Heads& heads, const Mask& mask, const SoftmaxOptions& draw, Context& ctx) const {
    const long B = heads.q.size(0), H = heads.q.size(1), T = heads.q.size(2), S = heads.k.size(2);
    if (!as_views(heads, mask, draw)) {
      const Pattern row{.block = W_, .first_key = heads.first_key};
      const Visible visible = visible_pairs_once(ctx, mask, row, {B, H, T, S}, heads.q.value().device());
      return softmax_attention(inputs(heads, mask, ctx), visible, draw);
    }
    const auto own = [&](const Variable& x) {
      return refolded(S == T || x.size(2) == T ? x : slice(x, 2, S - T, S), B * T / W_, W_, x.size(1));
    };
    const Variable q = own(heads.q), k = own(heads.k), v = own(heads.v);
    return refolded_attention(heads.with(q, k, v), mask, {B, H, T}, ctx);
  }

  // In parts to merge: the own column, without the query itself if `apart` is 1
  std::vector<SoftmaxOutputs> columns(const Heads& heads, const Mask& mask, const SoftmaxOptions& draw, long apart,
                                      Context& ctx) {
    if (as_views(heads, mask, draw)) return column_attention(heads, mask, W_, apart, ctx);
    if (apart == 0) return {window(heads, mask, draw, ctx)};
    return both_sides(mask, {apart, heads.q.size(2), heads.k.size(2)}, ctx,
                      [&](const Mask& side) { return window(heads, side, draw, ctx); });
  }

  Axis axis_;
  long W_;
};

// The mixer knows how long its grid is, and may be causal by itself.
class AxialMixer : public MultiHead {
 public:
  AxialMixer(const MixerOptions& mixer, const Grid& grid, bool causal, const CoreMaker& core)
      : MultiHead(mixer, core), grid_(grid), causal_(causal) {}

  std::vector<Look> looks(const Variable& x, const MixIn& in, Context& ctx) override {
    return MultiHead::looks(x, own(x, in), ctx);
  }

 protected:
  Variable mix(const Variable& x, const MixIn& in, Context& ctx) override { return MultiHead::mix(x, own(x, in), ctx); }
  Tensor dense_weights(const Variable& x, const MixIn& in, Context& ctx) override {
    return MultiHead::dense_weights(x, own(x, in), ctx);
  }

 private:
  MixIn own(const Variable& x, const MixIn& in) const {
    const long tokens = x.size(1) + (in.state ? in.state->length() : 0);
    HEED_CHECK(grid_.rows == 0 || tokens <= grid_.rows * grid_.columns, "axial", tokens,
               " tokens were given; the grid of ", grid_.rows, "x", grid_.columns, " has room for ",
               grid_.rows * grid_.columns,
               ". Give a larger grid, or the width of a row alone, as in grid=", grid_.columns);
    MixIn own = in;
    if (causal_) own.mask = own.mask & causal_mask();
    return own;
  }

  Grid grid_;  // rows may be 0: as many as there are
  bool causal_;
};

Grid grid_of(const VariantOptions& options, const Grid& image) {
  const std::vector<long> given = options.numbers("grid");
  HEED_CHECK(given.size() <= 2, "axial", "got grid=", options.word("grid"),
             "; it must be rows and columns, as in 32x32, or the width of a row, as in 64");
  const Grid grid = given.size() == 2 ? Grid{given[0], given[1]} : Grid{0, given[0]};
  if (grid.rows == 0 && grid.columns == 0) {
    HEED_CHECK(image.columns > 0, "axial",
               "the tokens of this model are no image in rows, so that its grid is not known; give one, as in "
               "axial:grid=32x32, or the width of a row alone, as in axial:grid=64");
    HEED_CHECK(image.block_rows == 0, "axial", "the model reads its image in blocks of ", image.block_rows, "x",
               image.block_columns, "; rows and columns want it row by row: set the order raster");
    return image;
  }
  HEED_CHECK(grid.columns > 0 && (given.size() == 1 || grid.rows > 0), "axial", "got grid=", options.word("grid"),
             "; rows and columns must be 1 or more");
  HEED_CHECK(grid.rows == 0 || grid.rows * grid.columns >= image.rows * image.columns, "axial",
             "got grid=", options.word("grid"), ", which is ", grid.rows * grid.columns, " places; the image has ",
             image.rows, "x", image.columns, ". Leave it away: the model tells its grid");
  return grid;
}

Axis axis_of(const std::string& word, long layer) {
  if (word == "merged") return Axis::merged;
  return word == "rows" || (word == "alternate" && layer % 2 == 0) ? Axis::rows : Axis::columns;
}

std::vector<VariantOption> options() {
  std::vector<VariantOption> list = {
      {.name = "axis",
       .help = "what a query sees of the grid; alternate: rows and columns in turn, by layer",
       .standard = "alternate",
       .choices = {"rows", "columns", "alternate", "merged"}},
      {.name = "grid",
       .help = "rows and columns, or the width of a row; 0: the model's",
       .standard = "0",
       .high = 1e6,
       .parted_by = 'x'},
      yes_or_no("causal", "see only what is before, whatever the mask says", false)};
  for (const VariantOption& option : bias_options()) list.push_back(option);
  return list;
}

const RegisteredVariant axial{
    {.name = "axial",
     .summary = "a query sees its row or its column of a grid",
     .formula = "o_i over j in the row of i, or in its column: softmax attention",
     .time = {Growth::root},
     .memory = {Growth::linear},
     .source = "Ho et al., 2019",
     .year = 2019,
     .when = "images and other grids of some thousand places: two layers connect every pair",
     .when_not = "each layer needs neighbours in another row and column, or the tokens are no grid",
     .shown = {"axial:axis=rows,grid=64", "axial:axis=columns,grid=64", "axial:axis=merged,grid=64"},
     .options = options,
     .make = [](const VariantOptions& options, const MixerOptions& mixer) -> std::unique_ptr<Mixer> {
       const Grid grid = grid_of(options, mixer.grid);
       const Axis axis = axis_of(options.word("axis"), mixer.layer);
       return std::make_unique<AxialMixer>(mixer, grid, options.yes("causal"), [&] {
         return std::make_unique<AxialCore>(mixer, axis, grid.columns, bias_of(options));
       });
     }}};

}  // namespace
}  // namespace heed
