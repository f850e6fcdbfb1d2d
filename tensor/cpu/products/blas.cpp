// OpenBLAS behind gemm: one thread of it at a time, and a trial before its first product is believed.
#include "tensor/cpu/products/blas.h"

#include <cblas.h>

#include <limits>

#include "system/error.h"

// Weak: another BLAS that lacks them still links and runs.
extern "C" {
[[gnu::weak]] void openblas_set_num_threads(int count);
[[gnu::weak]] int openblas_get_parallel(void);
[[gnu::weak]] void omp_set_num_threads(int count);
[[gnu::weak]] int omp_get_max_threads(void);
[[gnu::weak]] double ddot_(const int* n, const double* x, const int* x_step, const double* y, const int* y_step);
}

namespace heed {
namespace {

enum class Threading { none = 0, own = 1, openmp = 2 };  // how this OpenBLAS was built

Threading threading() {
  static const auto kind = openblas_get_parallel ? Threading(openblas_get_parallel()) : Threading::none;
  return kind;
}

// Once, when heed is loaded: first the kernels, then the threads.
const bool ready = [] {
  repair_blas_kernels();
  if (threading() == Threading::own && openblas_set_num_threads) openblas_set_num_threads(1);
  return true;
}();

// How BLAS is told of a matrix: the distance of its rows in memory, or of its columns if it is transposed there.
template <class E> CBLAS_TRANSPOSE trans(const MatrixView<E>& x) { return x.column == 1 ? CblasNoTrans : CblasTrans; }
template <class E> int leading(const MatrixView<E>& x) { return int(x.column == 1 ? x.row : x.column); }

void blas_gemm(const MatrixView<float>& c, const MatrixView<const float>& a, const MatrixView<const float>& b) {
  cblas_sgemm(CblasRowMajor, trans(a), trans(b), int(c.rows), int(c.columns), int(a.columns), 1, a.data, leading(a),
              b.data, leading(b), 0, c.data, int(c.row));
}

void blas_gemm(const MatrixView<double>& c, const MatrixView<const double>& a, const MatrixView<const double>& b) {
  cblas_dgemm(CblasRowMajor, trans(a), trans(b), int(c.rows), int(c.columns), int(a.columns), 1, a.data, leading(a),
              b.data, leading(b), 0, c.data, int(c.row));
}

// ---- is it right?

// Does it read numbers of 32 bits, as its header says? With 64 it sees a negative length here, and the sum of nothing.
bool counts_in_32_bits() {
  const int length[2] = {3, -1}, step[2] = {1, 0};
  const double x[] = {1, 2, 3}, y[] = {4, 5, 6};
  return !ddot_ || ddot_(length, x, step, y, step) == 32;
}

// The largest sizes that are tried: more than a tile of any kernel, and no multiple of one.
constexpr long kM = 37, kN = 29, kK = 67, kRow = 72;

template <class E> struct Trial {
  Gemm<E> gemm;
  E a[kK * kRow], b[kK * kRow], c[kM * kRow];

  // Whole numbers from -8 to 8: sums of kK products are exact in every order.
  explicit Trial(Gemm<E> g) : gemm(g) {
    unsigned state = 1;
    for (E* x : {a, b})
      for (long i = 0; i < kK * kRow; i++) x[i] = E(int((state = state * 1664525 + 1013904223) >> 16) % 17 - 8);
  }

  bool right(bool a_transposed, bool b_transposed, long m, long n, long k) {
    constexpr E kUntouched = 12345;
    for (E& x : c) x = kUntouched;
    const MatrixView<E> product{c, m, n, kRow, 1}, all{c, kM, kRow, kRow, 1};
    const MatrixView<const E> left{a, m, k, a_transposed ? 1 : kRow, a_transposed ? kRow : 1};
    const MatrixView<const E> right{b, k, n, b_transposed ? 1 : kRow, b_transposed ? kRow : 1};
    for (long i = 0; i < m; i++)
      for (long j = 0; j < n; j++) product(i, j) = std::numeric_limits<E>::quiet_NaN();  // must not be read
    gemm(product, left, right);
    for (long i = 0; i < all.rows; i++)
      for (long j = 0; j < all.columns; j++) {
        E sum = i < m && j < n ? E(0) : kUntouched;
        for (long p = 0; p < k && i < m && j < n; p++) sum += left(i, p) * right(p, j);
        if (all(i, j) != sum) return false;
      }
    return true;
  }
};

// What is wrong with the BLAS library; empty: nothing.
std::string fault() {
  OneBlasThread scope;
  if (!cpu_runs_kernels(blas_kernels())) return "has kernels that this CPU cannot run; unset OPENBLAS_CORETYPE";
  const char* const advice = "; heed needs right products and counts of 32 bits: install libopenblas0";
  if (!counts_in_32_bits()) return std::string("counts in 64 bits") + advice;
  if (!multiplies_rightly<float>(blas_gemm)) return std::string("multiplies wrongly in f32") + advice;
  if (!multiplies_rightly<double>(blas_gemm)) return std::string("multiplies wrongly in f64") + advice;
  return "";
}

}  // namespace

template <class E> bool multiplies_rightly(Gemm<E> gemm) {
  static const long sizes[][3] = {{1, 1, 1}, {1, 5, 9}, {5, 1, 8}, {3, 4, 5}, {16, 16, 16}, {kM, kN, kK}};
  Trial<E> trial(gemm);
  for (const auto& [m, n, k] : sizes)
    for (bool a_transposed : {false, true})
      for (bool b_transposed : {false, true})
        if (!trial.right(a_transposed, b_transposed, m, n, k)) return false;
  return true;
}

template bool multiplies_rightly(Gemm<float>);
template bool multiplies_rightly(Gemm<double>);

void check_blas(const char* op) {
  check_blas_room(op);
  static const std::string found = fault();
  HEED_CHECK(found.empty(), op, "the BLAS library here, ", blas_description(), ", ", found);
}

OneBlasThread::OneBlasThread() {
  if (threading() != Threading::openmp || !omp_set_num_threads || !omp_get_max_threads) return;
  before_ = omp_get_max_threads();
  omp_set_num_threads(1);
}

OneBlasThread::~OneBlasThread() {
  if (before_ > 0) omp_set_num_threads(before_);
}

void gemm(const MatrixView<float>& c, const MatrixView<const float>& a, const MatrixView<const float>& b) {
  check_blas("gemm");
  OneBlasThread scope;
  blas_gemm(c, a, b);
}

void gemm(const MatrixView<double>& c, const MatrixView<const double>& a, const MatrixView<const double>& b) {
  check_blas("gemm");
  OneBlasThread scope;
  blas_gemm(c, a, b);
}

}  // namespace heed
