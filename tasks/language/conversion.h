// Conversion: a language model with learned positions for short texts becomes one for longer texts and keeps what it
// has learned, as Longformer was made of a trained encoder (Beltagy et al., 2020):
//
//   positions     the learned table is repeated up to the new context
//   attention     full attention becomes longformer with a window of the old context: on texts that the old model
//                 could read, the new one computes the same
//   global tokens their projections, if the new attention has some, begin as copies of the usual ones
//
// The weights are copied by train/warm_start.h. Models with other positions need no conversion: nothing of theirs ends
// at a context.
#pragma once

#include <string>

#include "data/token_data.h"
#include "tasks/language/lm_run_load.h"

namespace heed {

// The settings of a run at `from` for a longer context: its model as above, as many bytes in a step as before, and a
// tenth of the rate. Throws a sentence if its positions are not learned (hint: what to do then, ". Do this"), or if the
// context is not longer.
LmSettings converted(const LmSettings& before, long context, const std::string& from, const std::string& hint = "");

// Bits per byte of a text before and after, without any training: by the old model, by the new one on windows of the
// old context, and on windows of its own.
struct ConversionLoss {
  double before = 0, same_context = 0, after = 0;
  long old_context = 0, new_context = 0;
  std::string text() const;  // a sentence
};
ConversionLoss conversion_loss(const LoadedModel& old, const LmSettings& now, const ByteSplit& valid);

}  // namespace heed
