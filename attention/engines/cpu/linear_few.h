// Linear attention of few tokens that go on from a state: decoding.
#pragma once

#include "attention/engines/linear_kernels.h"

namespace heed {

using kernels::inverse_of;

// Are there so few tokens, and sums to go on with, that one at a time is faster than a piece of 64?
bool is_for_few_tokens(const kernels::LinearProblem& p);

// What the pieces compute, without a workspace; the arguments are those of kernels::linear_attention.
template <class E>
void linear_few_tokens(const kernels::LinearResults<E>& out, const kernels::LinearOperands<E>& in,
                       const kernels::LinearProblem& p);

}  // namespace heed
