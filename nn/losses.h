// Losses that are compositions of ops. The one with a kernel of its own is in autograd/ops/cross_entropy.h.
#pragma once

#include "autograd/variable.h"

namespace heed {

// The mean of (x - y)^2 over all elements; x and y have one shape. Of no elements: 0.
Variable mse(const Variable& x, const Variable& y);

// KL(p || q) = sum_v p_v (log p_v - log q_v), the mean over all rows, in nats. Both are logarithms of probabilities,
// (..., V) with one shape: kl_divergence(log_softmax(teacher), log_softmax(student)). What p never does costs
// nothing (0 log 0 = 0); what p does and q never does costs infinity. Of no rows: 0.
Variable kl_divergence(const Variable& log_p, const Variable& log_q);

}  // namespace heed
