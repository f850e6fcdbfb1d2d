// Embedding: rows of a table by index.
#pragma once

#include "tensor/kernel.h"
#include "tensor/tensor.h"

namespace heed {

// table (V, C), ids (...) -> (..., C)
Tensor embedding(const Tensor& table, const Tensor& ids);
// dtable[ids[i]] += dy[i], in the order of i
Tensor embedding_backward(const Tensor& dy, const Tensor& ids, long V);

// For the backends: table (V, C), ids (n), y (n, C).
namespace kernels {
template <class E> inline Kernel<void(E* y, const E* table, const int64_t* ids, long n, long C)> embedding{"embedding"};
template <class E>
inline Kernel<void(E* dtable, const E* dy, const int64_t* ids, long n, long V, long C, void* workspace)>
    embedding_backward{"embedding"};
inline Kernel<long(long n, long V)> embedding_workspace_bytes{"embedding"};
}  // namespace kernels

}  // namespace heed
