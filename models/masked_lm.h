// MaskedLm: a language model that reads in both directions and tells single tokens from all that it sees: BERT, XLNet
// and MPNet, by what the columns are and which see each other (objectives/masked_columns.h).
//
//   MaskedLm model({.V = 256, .stack = {.C = 128, .heads = 4, .attention = "full:bias=t5"}});
//   model.forward(batch.inputs, {.positions = batch.positions, .mask = range_mask(batch.ranges), .read = ...}, ctx);
//
//   h = encoder(columns),   z_q = norm(gelu(W h_read(q) + b)),   logits_q = E z_q + c
//
// E is the table of the tokens. It has one row more than the vocabulary, for [MASK], which is never predicted. Only the
// columns that are read go through the last layers: at 15% they cost little, whatever the vocabulary.
//
// The encoder's weights have the paths that they have in a Classifier: a warm start takes them (train/warm_start.h).
#pragma once

#include "models/encoder.h"
#include "nn/layer_norm.h"
#include "nn/linear.h"

namespace heed {

struct MaskedLmOptions {
  long V = 256;  // of the vocabulary; [MASK] comes behind it
  StackOptions stack = {};
  std::string positions = "learned";
};

struct MaskedLmIn {
  Tensor positions = {};  // i64 (B, T); undefined: column t stands at t
  Mask mask = {};
  Tensor read = {};  // i64 (B, Q): columns, or -1 for nothing
};

class MaskedLm : public Module {
 public:
  explicit MaskedLm(const MaskedLmOptions& options);

  long vocabulary_size() const { return V_; }
  int64_t mask_token() const { return V_; }
  Variable forward(const Tensor& ids, const MaskedLmIn& in, Context& ctx);  // (B, T) -> (B, Q, V)

 private:
  long V_;
  Encoder& encoder_;
  Linear& transform_;
  LayerNorm& norm_;
  Variable& bias_;  // (V,)
};

}  // namespace heed
