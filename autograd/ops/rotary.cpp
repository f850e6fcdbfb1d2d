#include "autograd/ops/rotary.h"

namespace heed {

// y = x rotated by its positions: dx = dy rotated back
Variable rotary(const Variable& x, long offset, const RotaryOptions& options) {
  return record("rotary", rotary(x.value(), offset, options), {x},
                [=](const Tensor& dy) { return rotary_backward(dy, offset, options); });
}

}  // namespace heed
