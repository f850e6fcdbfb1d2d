// LinearCall: one call of the kernels of linear attention, from tensors to pointers. The door (linear_engine.cpp) has
// checked everything; here strides become dense where kernels need it, results are allocated, and what the kernels are
// told is kept, with the tensors behind it, until backward.
#pragma once

#include "attention/engines/linear_engine.h"
#include "attention/engines/linear_pieces.h"

namespace heed {

struct LinearCall {
  Tensor q, k, v;       // with dense channels
  Tensor before;        // sums (B, Hk, F, Dv + 1) or undefined
  Tensor o, inverse{};  // the results, not yet computed; inverse only if there will be a backward
  std::shared_ptr<const LinearPieces> pieces;
  bool skips_keys;  // is a key in no piece?
  kernels::LinearProblem problem{};

  LinearCall(const LinearInputs& in, const LinearTokens& tokens, const LinearOptions& options, const Tensor& before);
  LinearCall(const LinearCall&) = delete;  // the problem points to the pieces

  void keep_for_backward();
  void forward(const Tensor& after) const;               // writes o, and the sums behind the last piece if defined
  std::vector<Tensor> backward(const Tensor& dy) const;  // dq, dk, dv
};

}  // namespace heed
