// Attention of few queries, one at a time: decoding.
#pragma once

#include "attention/engines/softmax_kernels.h"

namespace heed {

// Are there so few queries that one at a time is faster than a tile of 64?
bool is_for_few_queries(const kernels::SoftmaxProblem& p);

// What the tiles compute; the arguments are those of kernels::softmax_attention.
template <class E>
void softmax_few_queries(E* o, E* L, const kernels::SoftmaxOperands<E>& in, const kernels::SoftmaxProblem& p);

}  // namespace heed
