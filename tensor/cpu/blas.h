// The one place that talks to OpenBLAS. It is always used single-threaded (its own threads change the bits of the
// result with their number); products are cut into panels that run in our pool (matmul.cpp).
#pragma once

#include <string>

namespace heed {

// While one lives, BLAS and LAPACK use one thread in this thread. OpenBLAS's own threads are set to one at start; its
// OpenMP build asks for the caller's setting at every call, so that one is told for the length of the call, and finds
// the host program's setting again afterwards.
class OneBlasThread {
 public:
  OneBlasThread();
  ~OneBlasThread();
  OneBlasThread(const OneBlasThread&) = delete;
  OneBlasThread& operator=(const OneBlasThread&) = delete;

 private:
  int before_ = 0;
};

// c = op(a) op(b), row-major; op is the transpose where the flag says so.
void gemm(float* c, long c_row, const float* a, long a_row, bool a_transposed, const float* b, long b_row,
          bool b_transposed, long m, long n, long k);
void gemm(double* c, long c_row, const double* a, long a_row, bool a_transposed, const double* b, long b_row,
          bool b_transposed, long m, long n, long k);

// "OpenBLAS 0.3.21, Zen kernels": what runs, for the line that programs print at start.
std::string blas_description();

}  // namespace heed
