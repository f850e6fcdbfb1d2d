// Bits per byte (bpc): how many bits a model needs for a byte of a text on average. For a token it needs
// -log2 p(token | those before it), and a token may stand for several bytes; per byte, models of different vocabularies
// can be compared. The less, the better it knows the text; 8 is a model of bytes that knows nothing.
#pragma once

#include <functional>

#include "data/token_data.h"
#include "models/gpt.h"

namespace heed {

struct EvaluationOptions {
  long batch = 8;
  long context = 0;  // of the windows; 0: the model's
  long stride = 0;   // of the windows; 0: their context, so that they are disjoint. Smaller: every token has more past
  // Reads the text in one go, window after window, and remembers what came before (Gpt::start_stream): the number of a
  // model that was trained on streams. Without batch and stride.
  bool stream = false;
  long window = 0;     // of attention, one-sided, as a phase of a training has it (train/schedule.h); 0: the model's
  double windows = 1;  // a part of every layer's own
  std::function<void(long done, long windows)> progress = {};
};

struct Evaluation {
  double bpc = 0;
  long bytes = 0;  // that were counted: all but those of the first token of each document
};

// Throws if there is nothing to predict, or if the split's vocabulary is not the model's.
Evaluation bits_per_byte(Gpt& model, const TokenSplit& split, const EvaluationOptions& options);

}  // namespace heed
