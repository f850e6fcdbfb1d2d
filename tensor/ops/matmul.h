// Matrix products. The last two axes are the matrices, the axes before them broadcast as a batch. Transposed views
// are multiplied as they are, without a copy.
#pragma once

#include "tensor/kernel.h"
#include "tensor/tensor.h"

namespace heed {

// (..., M, K) x (..., K, N) -> (..., M, N). Of bf16 and f16 the sums, and the result, are f32.
Tensor matmul(const Tensor& a, const Tensor& b);
// y = x w^T + b: x (..., in), w (out, in), b (out,) or undefined -> (..., out); the bias is added while y is in the
// cache. x and w may be bf16, b and y are then f32.
Tensor linear(const Tensor& x, const Tensor& w, const Tensor& b);
// y = a b: da = dy b^T, db = a^T dy, each summed over the axes along which it was broadcast.
Tensor matmul_backward_a(const Tensor& dy, const Tensor& b, const Shape& a_shape);
Tensor matmul_backward_b(const Tensor& dy, const Tensor& a, const Shape& b_shape);

// y = a b by three plain loops in the order of the definition: the oracle of the tests. 2-D only.
Tensor matmul_reference(const Tensor& a, const Tensor& b);

// For the backends: c (batch, m, n), row-major, from matrices that lie anywhere in memory.
struct MatmulLayout {
  long m = 0, n = 0, k = 0;
  bool a_transposed = false, b_transposed = false;  // the memory holds a^T (k, m) or b^T (n, k)
  long a_row = 0, b_row = 0;                        // elements between two rows in memory
  Shape batch = {};
  Strides a_batch = {}, b_batch = {};  // elements between two matrices, per batch axis; 0 where one is broadcast
};
namespace kernels {
// bias (n) is added to every row of c; null: none. The workspace has as many bytes as the kernel asks for; it may be
// null if these are none.
template <class E> inline Kernel<long(const MatmulLayout& layout)> matmul_workspace_bytes{"matmul"};
template <class E>
inline Kernel<void(E* c, const E* a, const E* b, const E* bias, const MatmulLayout& layout, void* workspace)> matmul{
    "matmul"};

// Of bf16 in memory, with sums in f32: what tensor cores and AMX multiply. A CPU without widens.
inline Kernel<long(const MatmulLayout& layout)> matmul_bf16_workspace_bytes{"matmul"};
inline Kernel<void(float* c, const BFloat16* a, const BFloat16* b, const float* bias, const MatmulLayout& layout,
                   void* workspace)>
    matmul_bf16{"matmul"};
}  // namespace kernels

}  // namespace heed
