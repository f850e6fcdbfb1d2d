#include "cuda/emulator/blas.h"

#include <cblas.h>

#include <vector>

#include "cuda/emulator/memory.h"
#include "tensor/dtype.h"

struct EmulatedBlas {
  cudaStream_t stream = nullptr;
};

namespace {

using heed::BFloat16;

struct Operand {
  const void* data;
  cublasOperation_t op;
  int ld, rows, columns;  // as they lie in memory, column by column
  long long stride;

  CBLAS_TRANSPOSE transpose() const { return op == CUBLAS_OP_T ? CblasTrans : CblasNoTrans; }
  long span() const { return long(columns - 1) * ld + rows; }  // elements from the first to the last
  template <class E> const E* at(long i) const { return static_cast<const E*>(data) + i * stride; }
};

std::vector<float> widened(const BFloat16* from, long count) {
  std::vector<float> wide(size_t(count), 0.f);
  for (long i = 0; i < count; i++) wide[size_t(i)] = float(from[i]);
  return wide;
}

struct Product {
  int m, n, k;
  Operand a, b;
  void* c;
  int ldc;
  long long c_stride;
  int count;

  void multiply(const float* x, const float* y, float alpha, float beta, long i) const {
    cblas_sgemm(CblasColMajor, a.transpose(), b.transpose(), m, n, k, alpha, x, a.ld, y, b.ld, beta,
                static_cast<float*>(c) + i * c_stride, ldc);
  }
  void multiply(const double* x, const double* y, double alpha, double beta, long i) const {
    cblas_dgemm(CblasColMajor, a.transpose(), b.transpose(), m, n, k, alpha, x, a.ld, y, b.ld, beta,
                static_cast<double*>(c) + i * c_stride, ldc);
  }
  template <class E> void all(E alpha, E beta) const {
    for (long i = 0; i < count; i++) multiply(a.at<E>(i), b.at<E>(i), alpha, beta, i);
  }
  void all_bf16(float alpha, float beta) const {
    for (long i = 0; i < count; i++)
      multiply(widened(a.at<BFloat16>(i), a.span()).data(), widened(b.at<BFloat16>(i), b.span()).data(), alpha, beta,
               i);
  }
};

}  // namespace

cublasStatus_t cublasCreate(cublasHandle_t* handle) {
  *handle = new EmulatedBlas;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasSetStream(cublasHandle_t handle, cudaStream_t stream) {
  handle->stream = stream;
  return CUBLAS_STATUS_SUCCESS;
}
const char* cublasGetStatusString(cublasStatus_t status) {
  return status == CUBLAS_STATUS_SUCCESS ? "success" : "an argument has an invalid value";
}

cublasStatus_t cublasGemmStridedBatchedEx(cublasHandle_t handle, cublasOperation_t op_a, cublasOperation_t op_b, int m,
                                          int n, int k, const void* alpha, const void* a, cudaDataType_t a_type,
                                          int lda, long long a_stride, const void* b, cudaDataType_t b_type, int ldb,
                                          long long b_stride, const void* beta, void* c, cudaDataType_t c_type, int ldc,
                                          long long c_stride, int count, cublasComputeType_t compute,
                                          cublasGemmAlgo_t) {
  using heed::emulator::on_device;
  const bool wide = a_type == CUDA_R_64F;
  const Product product{m,
                        n,
                        k,
                        {a, op_a, lda, op_a == CUBLAS_OP_N ? m : k, op_a == CUBLAS_OP_N ? k : m, a_stride},
                        {b, op_b, ldb, op_b == CUBLAS_OP_N ? k : n, op_b == CUBLAS_OP_N ? n : k, b_stride},
                        c,
                        ldc,
                        c_stride,
                        count};
  if (a_type != b_type || (c_type == CUDA_R_64F) != wide || (compute == CUBLAS_COMPUTE_64F) != wide || m < 1 || n < 1 ||
      k < 1 || lda < product.a.rows || ldb < product.b.rows || ldc < m || !on_device(a, 1) || !on_device(b, 1) ||
      !on_device(c, 1))
    return CUBLAS_STATUS_INVALID_VALUE;
  if (wide) {
    const double factor = *static_cast<const double*>(alpha), old = *static_cast<const double*>(beta);
    heed::emulator::submit(handle->stream, [=] { product.all(factor, old); });
  } else {
    const float factor = *static_cast<const float*>(alpha), old = *static_cast<const float*>(beta);
    heed::emulator::submit(handle->stream,
                           [=] { a_type == CUDA_R_16BF ? product.all_bf16(factor, old) : product.all(factor, old); });
  }
  return CUBLAS_STATUS_SUCCESS;
}
