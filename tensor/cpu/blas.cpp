#include "tensor/cpu/blas.h"

#include <cblas.h>

#include <sstream>

// Weak: another BLAS that lacks them still links and runs.
extern "C" {
[[gnu::weak]] void openblas_set_num_threads(int count);
[[gnu::weak]] int openblas_get_parallel(void);
[[gnu::weak]] char* openblas_get_config(void);
[[gnu::weak]] char* gotoblas_corename(void);
[[gnu::weak]] void omp_set_num_threads(int count);
[[gnu::weak]] int omp_get_max_threads(void);
}

namespace heed {
namespace {

enum class Threading { none = 0, own = 1, openmp = 2 };  // how this OpenBLAS was built

Threading threading() {
  static const auto kind = openblas_get_parallel ? Threading(openblas_get_parallel()) : Threading::none;
  return kind;
}

const bool single_threaded = [] {
  if (threading() == Threading::own) openblas_set_num_threads(1);
  return true;
}();

CBLAS_TRANSPOSE turned(bool transposed) { return transposed ? CblasTrans : CblasNoTrans; }

}  // namespace

OneBlasThread::OneBlasThread() {
  if (threading() != Threading::openmp || !omp_set_num_threads || !omp_get_max_threads) return;
  before_ = omp_get_max_threads();
  omp_set_num_threads(1);
}

OneBlasThread::~OneBlasThread() {
  if (before_ > 0) omp_set_num_threads(before_);
}

void gemm(float* c, long c_row, const float* a, long a_row, bool a_transposed, const float* b, long b_row,
          bool b_transposed, long m, long n, long k) {
  OneBlasThread scope;
  cblas_sgemm(CblasRowMajor, turned(a_transposed), turned(b_transposed), int(m), int(n), int(k), 1, a, int(a_row), b,
              int(b_row), 0, c, int(c_row));
}

void gemm(double* c, long c_row, const double* a, long a_row, bool a_transposed, const double* b, long b_row,
          bool b_transposed, long m, long n, long k) {
  OneBlasThread scope;
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
