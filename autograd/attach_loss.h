// The road for auxiliary losses (attention span, expert balance, reconstruction): no side list, and nothing is counted
// twice when a block is recomputed.
#pragma once

#include "autograd/variable.h"

namespace heed {

// y, unchanged. Backward also sends `weight` (times the loss scale) into aux's graph, as if weight * aux had been
// added to the loss. aux is a scalar, a mean over the tokens of its batch: then a trainer that cuts the batch into
// micro-batches gives each its share (backward(scale, attached_scale)).
Variable attach_loss(const Variable& y, const Variable& aux, double weight);

}  // namespace heed
