// Igpt: a picture as a sequence of pixels, each a token of a small palette (Generative Pretraining from Pixels, Chen et
// al., 2020). Every pixel is predicted from those before it, so that the model draws, finishes what was begun, and on
// the way learns features by which pictures can be told apart.
//
//   Igpt model({.colours = 16, .rows = 14, .columns = 14, .stack = {.C = 128, .heads = 4, .ordering = "sfsf"}});
//   Variable logits = model.forward(pixels, {}, ctx);      // (B, 196) -> (B, 196, 16)
//
//   x_t = W_e[pixel before place t] + position of place t,  x_0 = a start vector of its own + position 0
//   logits = W_o norm(stack(x)),  W_o is 0 at first: every colour is equally likely, and the first loss is ln K exactly
//
// As the paper has it: norms before the branches with a gain alone (RMS), no biases, x sigmoid(1.702 x) in
// feed-forward, and an output table that is not the input's. Weights begin as in any stack here (stack.h), not by the
// paper's widths. With `masked` it is the paper's BERT: all pixels see each other, the vectors of hidden ones are zero
// (their positions stay), and those are predicted.
//
// Pictures go in row by row; in which order they are read is the model's business (models/pixel_order.h).
#pragma once

#include "models/picture_model.h"
#include "nn/embedding.h"
#include "nn/linear.h"
#include "nn/positions.h"

namespace heed {

struct IgptOptions {
  long colours = 16;  // K
  long rows = 14, columns = 14;
  std::string order = "raster";
  std::string positions = "learned";  // learned, axial (a row for each row, one for each column), rotary, none
  long classes = 0;                   // of a model that is told the class of each picture; 0: it is not
  bool masked = false;                // BERT
  // Norm, biases, activation, length and grid are the model's: what is given for them does not count. Attentions that
  // know images are told the grid and the order.
  StackOptions stack = {};
};

const std::vector<std::string>& pixel_position_names();  // all that `positions` may be

class Igpt : public PictureModel {
 public:
  explicit Igpt(const IgptOptions& options);

  Variable forward(const Tensor& pixels, const In& in, Context& ctx) override;
  // Of a masked model.
  Variable filled(const Tensor& pixels, const Tensor& hidden, const In& in, Context& ctx) override;
  // The mean over all places of what the first norm of each block gives, and at last of the last norm's.
  std::vector<Tensor> features(const Tensor& pixels, Context& ctx) override;

  const PixelOrder& order() const override { return order_; }
  long classes() const override { return classes_; }
  long vocabulary_size() const override { return colours_; }
  bool masked() const { return masked_; }

  using PictureModel::next_logits;
  StackState start(long batch, long max_length) override;
  Tensor next_logits(const Tensor& ids, const Tensor& labels, Context& ctx, StackState& state) override;

 private:
  Variable starts(long B, const Tensor& labels);                  // (B, 1, C)
  Variable placed(const Variable& x, Context& ctx, long offset);  // with positions

  long colours_, classes_;
  bool masked_;
  std::string attention_;
  PixelOrder order_;
  Embedding& tokens_;
  Variable* start_ = nullptr;  // (max(classes, 1), C); not of a masked one
  LearnedPositions* learned_ = nullptr;
  AxialPositions* axial_ = nullptr;
  Stack& stack_;
  Linear& head_;
};

}  // namespace heed
