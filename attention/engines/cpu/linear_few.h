// Linear attention of few tokens that go on from a state: decoding.
#pragma once

#include <cmath>
#include <limits>

#include "attention/engines/linear_kernels.h"

namespace heed {

// 1 / (sum + epsilon). Without epsilon a denominator of 0, or so small that its inverse may overflow, gives 0: the
// result is defined as zeros then.
template <class E> E inverse_of(E sum, E epsilon) {
  if (epsilon == 0 && std::abs(sum) < std::numeric_limits<E>::min()) return 0;
  return 1 / (sum + epsilon);
}

// Are there so few tokens, and sums to go on with, that one at a time is faster than a piece of 64?
bool is_for_few_tokens(const kernels::LinearProblem& p);

// What the pieces compute, without a workspace; the arguments are those of kernels::linear_attention.
template <class E>
void linear_few_tokens(const kernels::LinearResults<E>& out, const kernels::LinearOperands<E>& in,
                       const kernels::LinearProblem& p);

}  // namespace heed
