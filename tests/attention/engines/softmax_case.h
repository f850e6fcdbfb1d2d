// A case for the softmax engine: sizes, what is visible, biases and dropout; solved by the engine and by its
// definition.
#pragma once

#include <functional>
#include <vector>

#include "attention/engines/softmax_engine.h"

struct SoftmaxCase {
  struct Sizes {
    long B = 2, H = 2, Hk = 2, T = 7, S = 7, D = 5, Dv = 3;
  };
  Sizes z = {};
  heed::Mask mask = {};
  heed::Pattern pattern = {};
  heed::KeysOfHead keys_of_head = {};  // in place of the pattern
  heed::SoftmaxOptions options = {};
  bool by_distance = false;
  long clip = -1;  // of by_query; -1: none
  std::shared_ptr<const heed::Plan> plan = {};
  heed::Tensor query_index = {}, key_index = {};  // with a plan
  heed::Tensor query_positions = {}, key_positions = {};
};

// q, k, v and the biases that are wanted; q is a view of (B, T, H, D) as in a model
std::vector<heed::Tensor> tensors(const SoftmaxCase& p, heed::DType dtype);
heed::SoftmaxInputs inputs(const SoftmaxCase& p, const std::vector<heed::Variable>& x);
heed::Visible seen_by(const SoftmaxCase& p);

// o, L and the gradients of sum(o * a) + sum(L * b)
using SoftmaxSolver =
    std::function<heed::SoftmaxOutputs(const heed::SoftmaxInputs&, const heed::Visible&, const heed::SoftmaxOptions&)>;
std::vector<heed::Tensor> results(const SoftmaxCase& p, heed::DType dtype, const SoftmaxSolver& attention);

// Fails the test unless the engine gives what the definition gives, in f32 and f64.
void check_engine(const SoftmaxCase& p);

// The most bytes that are alive at a time in forward and backward, with the inputs.
double peak_bytes(const SoftmaxCase& p);

// Fails the test unless o, L and all gradients have the same bits with 1, 2 and 3 threads.
void check_threads(const SoftmaxCase& p);
