// AxialTransformer: a picture model whose attentions see rows and columns (Axial Attention in Multidimensional
// Transformers: Ho et al., 2019). Every pixel still depends on all pixels before it, and on nothing else, but a picture
// of n pixels costs n sqrt(n) pairs instead of n^2. Two stacks share the work:
//
//   h = W_e[pixels]                                     pos = a learned vector for the row + one for the column
//   outer decoder:   u = stack of (all of the row, the column up to here), again and again, of h + pos
//   shift down:      u[r] <- u[r - 1], 0 for the first row           so u[r] knows all rows above r, and no other
//   inner decoder:   y = stack of (the row up to here) of (h one place to the right) + u + pos,  0 in the first column
//   logits = W_o y,  W_o is 0 at first: every colour is equally likely, and the first loss is ln K exactly
//
//   AxialTransformer model({.colours = 16, .rows = 28, .columns = 28, .stack = {.C = 128, .heads = 4}});
//   Variable logits = model.forward(pixels, {}, ctx);      // (B, 784) -> (B, 784, 16)
//
// It draws row by row: the outer decoder takes in a finished row as a whole and keeps keys and values of all rows, the
// inner one goes on pixel by pixel and looks back to the first of its row: n sqrt(n) pairs for a picture, too.
//
// Where it differs from the paper: a pixel is one token of a palette, so that there are no slices of channels; a stack
// ends with a norm, so that u is normed before it is added; weights begin as in any stack here (stack.h).
#pragma once

#include "models/picture_model.h"
#include "nn/embedding.h"
#include "nn/linear.h"
#include "nn/positions.h"

namespace heed {

struct AxialTransformerOptions {
  long colours = 16;  // K
  long rows = 14, columns = 14;
  long classes = 0;  // of a model that is told the class of each picture; 0: it is not
  // Of the inner decoder. The outer one has the same and, if its attentions are an odd number, one more layer: rows and
  // columns come in pairs. Attention, activation, length and grid are the model's: what is given does not count.
  StackOptions stack = {};
};

class AxialTransformer : public PictureModel {
 public:
  explicit AxialTransformer(const AxialTransformerOptions& options);

  Variable forward(const Tensor& pixels, const In& in, Context& ctx) override;

  const PixelOrder& order() const override { return order_; }
  long classes() const override { return classes_; }
  long vocabulary_size() const override { return colours_; }

  using PictureModel::next_logits;
  StackState start(long batch, long max_length) override;
  Tensor next_logits(const Tensor& ids, const Tensor& labels, Context& ctx, StackState& state) override;

 private:
  struct Row;  // what is remembered of the row that is being drawn
  struct Parts;

  Variable told(const Variable& x, const Tensor& labels);  // x with the class of each picture
  Variable placed(const Variable& x, const Tensor& labels, long place, Context& ctx);  // with positions from there on
  static Variable nothing(const Variable& like, long B, long T);                       // (B, T, C), zeros

  long colours_, classes_, columns_;
  PixelOrder order_;
  Embedding& tokens_;
  AxialPositions& positions_;
  Variable* class_ = nullptr;  // (classes, C)
  Stack &outer_, &inner_;
  Linear& head_;
};

}  // namespace heed
