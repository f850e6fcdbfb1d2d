// The cases of `build/bench kernels`, group by group. Amounts are what a fused kernel cannot do without: 2 M N K
// operations of a product, and each tensor read or written once. T rows, C columns, n = T C.
#pragma once

#include "autograd/variable.h"
#include "bench/harness.h"

namespace heed::bench {

std::vector<Case> product_cases();   // matmul, linear
std::vector<Case> kernel_cases();    // bias and GELU, norms, softmax, cross-entropy: forward and backward
std::vector<Case> memory_cases();    // dropout, embedding, AdamW; elementwise ops and sums, forward
std::vector<Case> decoding_cases();  // a few rows through linear, norm and GELU

Case product_case(long m, long n, long k);  // (M, K) x (K, N), forward

// Work of one op on leaves of these shapes: forward, then backward with a gradient that was there before. Every time
// the leaves are new, so that gradients are stored and not added to old ones.
using Forward = std::function<Variable(const std::vector<Variable>& leaves)>;
std::function<Action()> forward_backward(const std::vector<Shape>& shapes, const Forward& forward);

Tensor random_ids(long count, long below);  // i64

std::string request(const char* verb, const std::vector<long>& numbers);  // "linear 4096 256 1024"
std::string times(const std::vector<long>& sizes);                        // "4096 x 256"

}  // namespace heed::bench
