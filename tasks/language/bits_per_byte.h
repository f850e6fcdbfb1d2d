// Bits per byte (bpc): how many bits a model needs for a byte of a text on average, -log2 p(byte | those before it).
// The less, the better it knows the text; 8 is a model that knows nothing.
#pragma once

#include <functional>

#include "data/byte_data.h"
#include "models/gpt.h"

namespace heed {

struct EvaluationOptions {
  long batch = 8;
  long context = 0;  // of the windows; 0: the model's
  long stride = 0;   // of the windows; 0: their context, so that they are disjoint. Smaller: every byte has more past
  std::function<void(long done, long windows)> progress = {};
};

struct Evaluation {
  double bpc = 0;
  long bytes = 0;  // that were counted: all but the first of each document
};

// Throws if there is nothing to predict.
Evaluation bits_per_byte(Gpt& model, const ByteSplit& split, const EvaluationOptions& options);

}  // namespace heed
