// The one place that talks to OpenBLAS. It is always used single-threaded (its own threads change the bits of the
// result with their number); products are cut into panels that run in our pool (matmul.cpp).
#pragma once

#include <string>

namespace heed {

// c = op(a) op(b), row-major; op is the transpose where the flag says so.
void gemm(float* c, long c_row, const float* a, long a_row, bool a_transposed, const float* b, long b_row,
          bool b_transposed, long m, long n, long k);
void gemm(double* c, long c_row, const double* a, long a_row, bool a_transposed, const double* b, long b_row,
          bool b_transposed, long m, long n, long k);

// "OpenBLAS 0.3.21, Zen kernels": what runs, for the line that programs print at start.
std::string blas_description();

}  // namespace heed
