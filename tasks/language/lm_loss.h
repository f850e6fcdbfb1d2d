// The loss of a language model on a batch of bytes: what training makes small.
#pragma once

#include "data/byte_data.h"
#include "models/gpt.h"

namespace heed {

// The sum of -log p over the targets that count, in nats. No byte sees another document, nor what `mask` hides.
Variable summed_loss(Gpt& model, const ByteBatch& batch, const Mask& mask, Context& ctx);

}  // namespace heed
