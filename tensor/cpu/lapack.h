// The LAPACK functions that decompose.cpp uses, under one name for f32 and f64. Debian's OpenBLAS brings them along as
// Fortran symbols; matrices are column by column, numbers are 32 bits, every argument is a pointer, and the lengths of
// letters come last.
#pragma once

#include <cstddef>
#include <cstdint>

#include "tensor/cpu/products/blas.h"

extern "C" {
void sgeqrf_(const int* m, const int* n, float* a, const int* lda, float* tau, float* work, const int* lwork,
             int* info);
void dgeqrf_(const int* m, const int* n, double* a, const int* lda, double* tau, double* work, const int* lwork,
             int* info);
void sorgqr_(const int* m, const int* n, const int* k, float* a, const int* lda, const float* tau, float* work,
             const int* lwork, int* info);
void dorgqr_(const int* m, const int* n, const int* k, double* a, const int* lda, const double* tau, double* work,
             const int* lwork, int* info);
void sgesdd_(const char* job, const int* m, const int* n, float* a, const int* lda, float* s, float* u, const int* ldu,
             float* vt, const int* ldvt, float* work, const int* lwork, int* iwork, int* info, size_t);
void dgesdd_(const char* job, const int* m, const int* n, double* a, const int* lda, double* s, double* u,
             const int* ldu, double* vt, const int* ldvt, double* work, const int* lwork, int* iwork, int* info,
             size_t);
void ssyevd_(const char* job, const char* triangle, const int* n, float* a, const int* lda, float* w, float* work,
             const int* lwork, int* iwork, const int* liwork, int* info, size_t, size_t);
void dsyevd_(const char* job, const char* triangle, const int* n, double* a, const int* lda, double* w, double* work,
             const int* lwork, int* iwork, const int* liwork, int* info, size_t, size_t);
}

namespace heed::lapack {

template <class E> struct Lapack;
template <> struct Lapack<float> {
  static constexpr auto geqrf = sgeqrf_;
  static constexpr auto orgqr = sorgqr_;
  static constexpr auto gesdd = sgesdd_;
  static constexpr auto syevd = ssyevd_;
};
template <> struct Lapack<double> {
  static constexpr auto geqrf = dgeqrf_;
  static constexpr auto orgqr = dorgqr_;
  static constexpr auto gesdd = dgesdd_;
  static constexpr auto syevd = dsyevd_;
};

// Scratch of one call. With size -1 a function only writes the size it would like to work[0].
template <class E> struct Work {
  E* data;
  int size;
  int* integers = nullptr;
};

// a (m, n) = q r: r and, below it, what orgqr makes q from
template <class E> int geqrf(int m, int n, E* a, E* tau, const Work<E>& work) {
  OneBlasThread scope;
  int info = 0;
  Lapack<E>::geqrf(&m, &n, a, &m, tau, work.data, &work.size, &info);
  return info;
}

// a (m, k): q's first k columns
template <class E> int orgqr(int m, int k, E* a, const E* tau, const Work<E>& work) {
  OneBlasThread scope;
  int info = 0;
  Lapack<E>::orgqr(&m, &k, &k, a, &m, tau, work.data, &work.size, &info);
  return info;
}

// a (m, n) = u (m, k) diag(s) vt (k, n); destroys a; 8 k integers
template <class E> int gesdd(int m, int n, E* a, E* s, E* u, E* vt, const Work<E>& work) {
  OneBlasThread scope;
  int info = 0, k = m < n ? m : n;
  Lapack<E>::gesdd("S", &m, &n, a, &m, s, u, &m, vt, &k, work.data, &work.size, work.integers, &info, 1);
  return info;
}

// a (n, n), its upper triangle: eigenvalues to w, eigenvectors to the columns of a; 3 + 5 n integers
template <class E> int syevd(int n, E* a, E* w, const Work<E>& work) {
  OneBlasThread scope;
  int info = 0, integers = work.size < 0 ? -1 : 3 + 5 * n;
  Lapack<E>::syevd("V", "U", &n, a, &n, w, work.data, &work.size, work.integers, &integers, &info, 1, 1);
  return info;
}

}  // namespace heed::lapack
