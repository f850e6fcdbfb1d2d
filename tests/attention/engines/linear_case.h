// A case for linear attention: sizes and options; solved by the engine and by its definition.
#pragma once

#include <functional>
#include <vector>

#include "attention/engines/linear_engine.h"

inline constexpr double kRounding = 1e-12;  // f64, sums of some hundred products

struct LinearSizes {
  long B = 2, H = 2, Hk = 2, T = 7, S = 7, F = 4, Dv = 3;
};

// q, k, v before the feature map; views of (B, T, H, C) as in a model
std::vector<heed::Tensor> tensors(const LinearSizes& z, heed::DType dtype = heed::f64);
heed::LinearInputs inputs(const std::vector<heed::Variable>& x);
heed::LinearInputs inputs(const std::vector<heed::Tensor>& x);
std::vector<heed::Tensor> tokens(const std::vector<heed::Tensor>& x, long begin, long end);
heed::Tensor tokens(const heed::Tensor& x, long begin, long end);

using LinearSolver = std::function<heed::Variable(const heed::LinearInputs&, const heed::LinearOptions&)>;
heed::Variable fused(const heed::LinearInputs& in, const heed::LinearOptions& options);

// o and the gradients of sum(o * dy) for q, k and v; dy undefined: noise
std::vector<heed::Tensor> results(const std::vector<heed::Tensor>& x, const heed::LinearOptions& options,
                                  const LinearSolver& solve, const heed::Tensor& dy = {});

// Fails the test unless the engine gives what the definition gives, in f32 and f64.
void check_engine(const LinearSizes& z, const heed::LinearOptions& options = {});

// Segments (B, n): sample b has runs of these lengths, again and again, with rising numbers.
heed::Tensor runs(const std::vector<std::vector<long>>& lengths, long n);
