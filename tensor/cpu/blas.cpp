#include "tensor/cpu/blas.h"

#include <cblas.h>

#include <sstream>

// Weak: another BLAS that lacks them still links and runs.
extern "C" {
[[gnu::weak]] void openblas_set_num_threads(int count);
[[gnu::weak]] int openblas_get_parallel(void);
[[gnu::weak]] char* openblas_get_config(void);
[[gnu::weak]] char* gotoblas_corename(void);
}

namespace heed {
namespace {

// One thread. The OpenMP build (2) runs single-threaded inside of our pool by itself, and setting it there would
// also set OpenMP's own count to 1.
void make_single_threaded() {
  if (!openblas_set_num_threads || !openblas_get_parallel) return;
  if (openblas_get_parallel() != 2) openblas_set_num_threads(1);
}

const bool prepared = (make_single_threaded(), true);

CBLAS_TRANSPOSE turned(bool transposed) { return transposed ? CblasTrans : CblasNoTrans; }

}  // namespace

void gemm(float* c, long c_row, const float* a, long a_row, bool a_transposed, const float* b, long b_row,
          bool b_transposed, long m, long n, long k) {
  cblas_sgemm(CblasRowMajor, turned(a_transposed), turned(b_transposed), int(m), int(n), int(k), 1, a, int(a_row), b,
              int(b_row), 0, c, int(c_row));
}

void gemm(double* c, long c_row, const double* a, long a_row, bool a_transposed, const double* b, long b_row,
          bool b_transposed, long m, long n, long k) {
  cblas_dgemm(CblasRowMajor, turned(a_transposed), turned(b_transposed), int(m), int(n), int(k), 1, a, int(a_row), b,
              int(b_row), 0, c, int(c_row));
}

std::string blas_description() {
  std::ostringstream text;
  std::istringstream config(openblas_get_config ? openblas_get_config() : "a BLAS other than OpenBLAS");
  std::string word, version;
  config >> word >> version;  // "OpenBLAS 0.3.21 NO_LAPACKE DYNAMIC_ARCH ..."
  text << word << " " << version;
  if (gotoblas_corename) text << ", " << gotoblas_corename() << " kernels";
  return text.str();
}

}  // namespace heed
