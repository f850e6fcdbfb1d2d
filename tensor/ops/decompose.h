// Factorisations of matrices: QR, singular values, eigenvalues of a symmetric matrix. The last two axes are the
// matrix, the axes before them are a batch. f32 and f64.
//
// None has a gradient: they serve to draw orthogonal matrices and to look at weights, not to train through. Results
// are made unique by a rule for the signs, so they repeat bit for bit for any number of threads. A matrix that holds
// NaN or infinity, or for which LAPACK finds no answer, is an Error that says which one it is.
#pragma once

#include "tensor/kernel.h"
#include "tensor/tensor.h"

namespace heed {

// a = q r with a (..., M, N), K = min(M, N): q (..., M, K) has orthonormal columns, r (..., K, N) is zero below its
// diagonal. Signs: r's diagonal is >= 0 (so q of a normal matrix is a uniformly drawn rotation or reflection).
struct QrResult {
  Tensor q, r;
};
QrResult qr(const Tensor& a);

// a = u diag(s) vt with a (..., M, N), K = min(M, N): u (..., M, K) has orthonormal columns, vt (..., K, N)
// orthonormal rows, s (..., K) descends and is >= 0. Signs: in each row of vt the first element that is at least 0.9
// of the largest in size is positive (0.9: equal sizes must not be told apart by their rounding).
struct SvdResult {
  Tensor u, s, vt;
};
SvdResult svd(const Tensor& a);

// a = vectors diag(values) vectors^T with a (..., N, N) symmetric: values (..., N) ascend, and column i of vectors
// (..., N, N) is the eigenvector of value i, with the sign rule of svd. Below the diagonal a must repeat what stands
// above it to 1e-4 of its largest element; only the lower triangle is used.
struct EighResult {
  Tensor values, vectors;
};
EighResult eigh(const Tensor& a);

// For the backends: `count` matrices one after the other, row-major, none of the sizes 0. info (count) says how each
// went: 0, one of these, or what LAPACK said (> 0). A kernel needs a workspace of the bytes its slot asks for.
struct MatrixBatch {
  long count = 0, rows = 0, cols = 0;
};
inline constexpr int32_t kNotFinite = -1, kNotSymmetric = -2;

namespace kernels {
template <class E> inline Kernel<long(const MatrixBatch& s)> qr_workspace_bytes{"qr"};
template <class E> inline Kernel<long(const MatrixBatch& s)> svd_workspace_bytes{"svd"};
template <class E> inline Kernel<long(const MatrixBatch& s)> eigh_workspace_bytes{"eigh"};
// a (count, M, N), q (count, M, K), r (count, K, N)
template <class E>
inline Kernel<void(E* q, E* r, int32_t* info, const E* a, const MatrixBatch& s, void* workspace)> qr{"qr"};
// a (count, M, N), u (count, M, K), singular (count, K), vt (count, K, N)
template <class E>
inline Kernel<void(E* u, E* singular, E* vt, int32_t* info, const E* a, const MatrixBatch& s, void* workspace)> svd{
    "svd"};
// a, vectors (count, N, N), values (count, N); here *row* i of vectors is the eigenvector of value i
template <class E>
inline Kernel<void(E* values, E* vectors, int32_t* info, const E* a, const MatrixBatch& s, void* workspace)> eigh{
    "eigh"};
}  // namespace kernels

}  // namespace heed
