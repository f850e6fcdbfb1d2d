// Matrix products by cuBLAS: f32, f64, and bf16 with sums in f32. cuBLAS counts column by column, so that a row-major
// c = a b is told as c^T = b^T a^T: the operands change places, and nothing is turned around in memory.
//
// HEED_CUDA_TF32=1 in the environment lets tensor cores multiply f32: ten bits of each factor's fraction instead of 23.
#include "tensor/ops/matmul.h"

#include <climits>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>

#include "cuda/blas.h"
#include "cuda/walk.cuh"

namespace heed::cuda {
namespace {

void check(cublasStatus_t status) {
  HEED_CHECK(status == CUBLAS_STATUS_SUCCESS, "matmul", "cuBLAS: ", cublasGetStatusString(status), " (code ",
             int(status), ")");
}

cublasHandle_t handle() {
  static std::mutex mutex;
  static std::map<cudaStream_t, cublasHandle_t> handles;
  const std::lock_guard lock(mutex);
  cublasHandle_t& one = handles[stream()];
  if (!one) {
    check(cublasCreate(&one));
    check(cublasSetStream(one, stream()));
  }
  return one;
}

bool tf32() {
  static const bool wanted = [] {
    const char* text = std::getenv("HEED_CUDA_TF32");
    return text && std::strcmp(text, "1") == 0;
  }();
  return wanted;
}

template <class In> constexpr cudaDataType_t kType = CUDA_R_32F;
template <> constexpr cudaDataType_t kType<double> = CUDA_R_64F;
template <> constexpr cudaDataType_t kType<BFloat16> = CUDA_R_16BF;

// c (rows, n): every row is bias, or zeros
template <class E> void begin_with(E* c, const E* bias, long rows, long n) {
  for_elements("matmul", rows * n, [=] __device__(long e) { c[e] = bias ? bias[e % n] : E(0); });
}

// The matrices of the last batch axis: `count` of them, each the given number of elements behind the one before
template <class E, class In>
void multiply(E* c, const In* a, const In* b, E beta, const MatmulLayout& s, long count, long a_step, long b_step) {
  const E alpha = 1;
  const cublasComputeType_t compute = sizeof(E) == 8                        ? CUBLAS_COMPUTE_64F
                                      : std::is_same_v<In, float> && tf32() ? CUBLAS_COMPUTE_32F_FAST_TF32
                                                                            : CUBLAS_COMPUTE_32F;
  check(cublasGemmStridedBatchedEx(handle(), s.b_transposed ? CUBLAS_OP_T : CUBLAS_OP_N,
                                   s.a_transposed ? CUBLAS_OP_T : CUBLAS_OP_N, int(s.n), int(s.m), int(s.k), &alpha, b,
                                   kType<In>, int(s.b_row), b_step, a, kType<In>, int(s.a_row), a_step, &beta, c,
                                   kType<E>, int(s.n), s.m * s.n, int(count), compute, CUBLAS_GEMM_DEFAULT));
}

template <class E, class In> void matmul(E* c, const In* a, const In* b, const E* bias, const MatmulLayout& s, void*) {
  const int axes = s.batch.dims(), last = axes - 1;
  const long count = axes ? s.batch[last] : 1, a_step = axes ? s.a_batch[last] : 0, b_step = axes ? s.b_batch[last] : 0;
  long outer = 1;
  for (int i = 0; i < last; i++) outer *= s.batch[i];
  const long matrices = outer * count;
  if (matrices == 0 || s.m == 0 || s.n == 0) return;
  HEED_CHECK(std::max({s.m, s.n, s.k, s.a_row, s.b_row, count}) <= INT_MAX, "matmul", "sizes of (", s.m, ", ", s.k,
             ") x (", s.k, ", ", s.n, ") x ", count, " matrices; the rule of cuBLAS is less than 2^31 each");
  if (bias || s.k == 0) begin_with(c, bias, matrices * s.m, s.n);
  if (s.k == 0) return;
  for (long i = 0; i < outer; i++) {
    long a_at = 0, b_at = 0, rest = i;
    for (int axis = last - 1; axis >= 0; axis--) {
      a_at += rest % s.batch[axis] * s.a_batch[axis], b_at += rest % s.batch[axis] * s.b_batch[axis];
      rest /= s.batch[axis];
    }
    multiply(c + i * count * s.m * s.n, a + a_at, b + b_at, E(bias ? 1 : 0), s, count, a_step, b_step);
  }
}

long no_workspace(const MatmulLayout&) { return 0; }

const OnCuda products{[]<class E>(auto set) {
  set(kernels::matmul_workspace_bytes<E>, no_workspace);
  set(kernels::matmul<E>, matmul<E, E>);
}};
const OnCuda bf16_products{[](auto set) {
  set(kernels::matmul_bf16_workspace_bytes, no_workspace);
  set(kernels::matmul_bf16, matmul<float, BFloat16>);
}};

}  // namespace
}  // namespace heed::cuda
