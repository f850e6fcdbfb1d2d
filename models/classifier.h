// Classifier: an encoder reads a sequence, its vectors are pooled into one, and a linear layer tells the class. With
// two towers the same encoder reads two sequences, and the class is one of the pair (is this an answer to that?).
#pragma once

#include "models/encoder.h"
#include "nn/linear.h"

namespace heed {

struct ClassifierOptions {
  long V = 256, classes = 2;
  StackOptions stack = {};
  std::string positions = "learned";
  std::string pool = "mean";  // or cls (encoder.h)
};

class Classifier : public Module {
 public:
  explicit Classifier(const ClassifierOptions& options);
  Variable forward(const Tensor& ids, const Tensor& lengths, Context& ctx);  // (B, T), (B,) -> logits (B, classes)

 private:
  Encoder& encoder_;
  Linear& head_;
};

// logits (B, classes) from [a, b, a * b, a - b] of the two encodings, by one hidden layer
class TwoTower : public Module {
 public:
  explicit TwoTower(const ClassifierOptions& options);
  Variable forward(const Tensor& a, const Tensor& a_lengths, const Tensor& b, const Tensor& b_lengths, Context& ctx);

 private:
  Encoder& tower_;
  Linear &hidden_, &head_;
};

}  // namespace heed
