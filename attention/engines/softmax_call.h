// SoftmaxCall: one call of the softmax kernels, from tensors to pointers. The door (softmax_engine.cpp) has checked
// everything; here strides become dense where kernels need it, results are allocated, and what the kernels are told is
// kept, with the tensors behind it, until backward.
#pragma once

#include <vector>

#include "attention/engines/softmax_engine.h"

namespace heed {

struct SoftmaxCall {
  Tensor q, k, v;                         // with dense channels
  Tensor by_distance, by_query;           // contiguous; undefined: none
  Tensor query_positions, key_positions;  // ditto
  Visible visible;
  Tensor o, L;  // the results, not yet computed
  kernels::SoftmaxProblem problem{};

  SoftmaxCall(const SoftmaxInputs& in, const Visible& visible, const SoftmaxOptions& options);
  void forward() const;  // writes o and L

  struct Wants {  // gradients of the biases, which cost extra
    bool by_distance, by_query;
  };
  // dq, dk, dv, dby_distance, dby_query, undefined if they are not wanted. dy, dL: undefined counts as zeros.
  std::vector<Tensor> backward(const Tensor& dy, const Tensor& dL, const Wants& wants) const;
};

}  // namespace heed
