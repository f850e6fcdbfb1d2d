// Visible pairs made once. What a mask and a pattern allow is the same in all layers of a batch, and if the mask holds
// no tensors (lengths, segments) in all batches of these sizes: it is made, and moved to the device where the layers
// compute, when the first of them asks.
#pragma once

#include "attention/seeing/visible.h"
#include "nn/context.h"

namespace heed {

// what() names all that `make` depends on besides the mask and these sizes.
Visible visible_once(Context& ctx, const std::function<std::string()>& what, const Mask& mask, const Shape& B_H_T_S,
                     Device device, const std::function<Visible()>& make);
Visible visible_pairs_once(Context& ctx, const Mask& mask, const Pattern& pattern, const Shape& B_H_T_S, Device device);

std::string text_of(const Pattern& pattern);  // its numbers, for keys
std::string text_of(Device device);           // "custom:1"

}  // namespace heed
