// Splitting the channels of a projection into heads, the first step of multi-head attention:
//
//   y (B, T, channels)  ->  one (B, heads, T, width) per part,     channels = the sum of heads * width over the parts
//
// The parts (queries, keys, values) lie side by side in a row of y, and the heads side by side in a part. A part may be
// rotated by its positions on the way (tensor/ops/rotary.h), which saves a copy of its own.
#pragma once

#include <vector>

#include "autograd/variable.h"
#include "tensor/ops/rotary.h"

namespace heed {

struct HeadPart {
  long heads, width;
  // (T, 2, width / 2), rotary_table of the T positions, or (B, T, ...): rotate channels i and i + width / 2
  Tensor table = {};
};

// Views of y without a copy, unless a part is rotated. The gradients of all parts come back as one tensor:
//   dy = [dpart_0 | dpart_1 | ...], rotated back, with zeros for a part that has no gradient
std::vector<Variable> split_heads(const Variable& y, const std::vector<HeadPart>& parts);

}  // namespace heed
