// A probe for leaks: a language model that sees what it is to predict has a fine score and is worth nothing. So before
// a score is believed, what stands behind some places of a text is changed, and what the model says up to there must
// stay the same to the bit.
#pragma once

#include "data/token_data.h"
#include "models/gpt.h"

namespace heed {

// Tries some places of the first window of the text, and returns how many: 0 if it is too short to have one. Throws if
// the model says something else before a change. T: tokens of the window, at most; 0: the model's context.
long probe_leaks(Gpt& model, const TokenSplit& text, long T = 0);

}  // namespace heed
