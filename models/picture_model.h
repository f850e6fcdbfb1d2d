// PictureModel: a model of pictures, as the programs see it: pixels are tokens of a small palette, each is predicted
// from those before it, and it draws as any TokenModel writes. Igpt (models/igpt.h) and the Axial Transformer
// (models/axial_transformer.h) are two.
#pragma once

#include "models/pixel_order.h"
#include "models/stack.h"
#include "models/token_model.h"

namespace heed {

class PictureModel : public Module, public TokenModel {
 public:
  struct In {
    Tensor labels{};                        // i64 (B,): of a model with classes
    Mask hidden = {};                       // what no pixel may see, besides those behind it
    std::vector<Tensor>* inputs = nullptr;  // takes what every sublayer reads (StackIn::inputs)
  };
  // pixels i64 (B, n), row by row -> logits (B, n, K), by place: of the pixel that stands there, from those before it
  virtual Variable forward(const Tensor& pixels, const In& in, Context& ctx) = 0;

  virtual const PixelOrder& order() const = 0;  // in which pixels are read
  virtual long classes() const = 0;             // that it is told; 0: none

  // ---- to draw with it (models/sampler.h): ids come and go by place

  long context() const override { return order().size(); }
  bool has_start() const override { return true; }
  Tensor next_logits(const Tensor& ids, Context& ctx, StackState& state) override {
    return next_logits(ids, {}, ctx, state);
  }
  virtual Tensor next_logits(const Tensor& ids, const Tensor& labels, Context& ctx, StackState& state) = 0;  // (B,)

  // ---- what not every one can; by default these throw a sentence

  // Logits of hidden pixels from all others. hidden: boolean (B, n), row by row -> (B, n, K), by place
  virtual Variable filled(const Tensor& pixels, const Tensor& hidden, const In& in, Context& ctx);
  // One vector (B, C) per layer for a picture, what a linear probe is trained on.
  virtual std::vector<Tensor> features(const Tensor& pixels, Context& ctx);
};

// What all picture models check: throws a sentence unless there is a colour and are two pixels, and unless there is one
// label for each of B pictures. op: the model that asks.
struct PictureSizes {
  long colours, rows, columns, classes;
};
void check_sizes(const char* op, const PictureSizes& sizes);
void check_labels(const char* op, const Tensor& labels, long classes, long B);

// Deviations of the weights at first
inline constexpr double kPixelPositionDeviation = 0.01, kPixelTokenDeviation = 0.02;

// The same model with a class for each row, as the sampler wants it.
class LabelledPictures : public TokenModel {
 public:
  LabelledPictures(PictureModel& model, const Tensor& labels) : model_(model), labels_(labels) {}
  long vocabulary_size() const override { return model_.vocabulary_size(); }
  long context() const override { return model_.context(); }
  bool has_start() const override { return true; }
  StackState start(long batch, long max_length) override { return model_.start(batch, max_length); }
  Tensor next_logits(const Tensor& ids, Context& ctx, StackState& state) override {
    return model_.next_logits(ids, labels_, ctx, state);
  }

 private:
  PictureModel& model_;
  Tensor labels_;
};

}  // namespace heed
