// How much work a call of the softmax kernels is, for profiles (tensor/profile.h) and for the property suite, which
// measures by it how a variant's time grows.
#pragma once

#include "attention/engines/softmax_kernels.h"

namespace heed {

// Multiplications and additions of a forward pass: two products of 64 x 64 pairs for every tile that is looked at. O(T)
// on the host; 0 while nobody profiles, and for other devices than the cpu, where the ranges cannot be read.
double softmax_flops(const kernels::SoftmaxProblem& problem, Device device);

}  // namespace heed
