// LAPACK on one matrix after the other, single-threaded; the matrices of a batch run in parallel. LAPACK wants columns
// one after the other: a row-major matrix is its transpose there, which svd and eigh use and qr has to undo.
#include "tensor/ops/decompose.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "system/parallel.h"
#include "tensor/cpu/lapack.h"

namespace heed {
namespace {

using lapack::Work;

constexpr long kPieces = 16;         // a batch is cut into at most so many pieces, each with scratch of its own
constexpr double kSymmetric = 1e-4;  // of the largest element: more than rounding, less than a mistake
constexpr double kAsLargeAs = 0.9;   // the sign rule of svd and eigh
constexpr long kLine = 64;           // bytes: scratch of two pieces never shares a cache line

long grain_of(long count) { return (count + kPieces - 1) / kPieces; }
long pieces_of(long count) { return (count + grain_of(count) - 1) / grain_of(count); }

// What one piece needs: `matrix` elements for copies, LAPACK's scratch and its integers.
struct Room {
  long matrix = 0, work = 0, integers = 0;
  template <class T> long bytes() const {
    long total = (matrix + work) * long(sizeof(T)) + integers * long(sizeof(int));
    return (total + kLine - 1) / kLine * kLine;
  }
};

// LAPACK tells a size as a T, rounded: take the next larger one.
template <class T> long told(T size) { return long(std::nextafter(size, std::numeric_limits<T>::infinity())) + 1; }

template <class T> bool finite(const T* a, long n) {
  bool all = true;
  for (long i = 0; i < n; i++) all &= std::isfinite(a[i]);
  return all;
}

// Calls solve(matrix number, its place in a, scratch for copies, LAPACK's scratch), which returns LAPACK's info, for
// every matrix that is finite.
template <class T, class Solve>
void for_matrices(int32_t* info, const T* a, const MatrixBatch& s, const Room& room, void* workspace, Solve&& solve) {
  const long grain = grain_of(s.count), size = s.rows * s.cols;
  parallel_for(s.count, grain, [&](long begin, long end) {
    T* copies = reinterpret_cast<T*>(static_cast<char*>(workspace) + begin / grain * room.bytes<T>());
    T* numbers = copies + room.matrix;
    const Work<T> work{numbers, int(room.work), reinterpret_cast<int*>(numbers + room.work)};
    for (long i = begin; i < end; i++)
      info[i] = finite(a + i * size, size) ? int32_t(solve(i, a + i * size, copies, work)) : kNotFinite;
  });
}

// The first element that is about as large as the largest: its sign decides.
template <class T> bool is_negative(const T* vector, long n) {
  T largest = 0;
  for (long i = 0; i < n; i++) largest = std::max(largest, std::abs(vector[i]));
  long i = 0;
  while (i < n - 1 && std::abs(vector[i]) < T(kAsLargeAs) * largest) i++;
  return vector[i] < 0;
}

template <class T> void negate(T* x, long n, long step = 1) {
  for (long i = 0; i < n; i++) x[i * step] = -x[i * step];
}

// ---- qr

template <class T> Room qr_room(const MatrixBatch& s) {
  check_blas("qr");
  const long K = std::min(s.rows, s.cols);
  T nothing = 0, first = 0, second = 0;
  lapack::geqrf<T>(int(s.rows), int(s.cols), &nothing, &nothing, {&first, -1});
  lapack::orgqr<T>(int(s.rows), int(K), &nothing, &nothing, {&second, -1});
  return {s.rows * s.cols + K, told(std::max(first, second)), 0};
}

// a (M, N) = q (M, K) r (K, N); copies: a by columns (N, M), then tau (K)
template <class T> int qr_one(T* q, T* r, const T* a, const MatrixBatch& s, T* copies, const Work<T>& work) {
  const long M = s.rows, N = s.cols, K = std::min(M, N);
  T* tau = copies + M * N;
  for (long i = 0; i < M; i++)
    for (long j = 0; j < N; j++) copies[j * M + i] = a[i * N + j];
  int info = lapack::geqrf(int(M), int(N), copies, tau, work);
  for (long i = 0; i < K; i++)
    for (long j = 0; j < N; j++) r[i * N + j] = j < i ? T(0) : copies[j * M + i];
  if (info == 0) info = lapack::orgqr(int(M), int(K), copies, tau, work);
  for (long i = 0; i < M; i++)
    for (long j = 0; j < K; j++) q[i * K + j] = copies[j * M + i];
  for (long i = 0; i < K; i++)
    if (std::signbit(r[i * N + i])) negate(r + i * N + i, N - i), negate(q + i, M, K);
  return info;
}

template <class T> void qr_cpu(T* q, T* r, int32_t* info, const T* a, const MatrixBatch& s, void* workspace) {
  const long K = std::min(s.rows, s.cols);
  for_matrices(info, a, s, qr_room<T>(s), workspace, [&](long i, const T* one, T* copies, const Work<T>& work) {
    return qr_one(q + i * s.rows * K, r + i * K * s.cols, one, s, copies, work);
  });
}

// ---- svd

template <class T> Room svd_room(const MatrixBatch& s) {
  check_blas("svd");
  T nothing = 0, size = 0;
  int integer = 0;
  lapack::gesdd<T>(int(s.cols), int(s.rows), &nothing, &nothing, &nothing, &nothing, {&size, -1, &integer});
  return {s.rows * s.cols, told(size), 8 * std::min(s.rows, s.cols)};
}

// LAPACK sees a^T = v diag(s) u^T, and what it calls u and vt are, row by row, our vt and u.
template <class T>
void svd_cpu(T* u, T* singular, T* vt, int32_t* info, const T* a, const MatrixBatch& s, void* workspace) {
  const long M = s.rows, N = s.cols, K = std::min(M, N);
  for_matrices(info, a, s, svd_room<T>(s), workspace, [&](long i, const T* one, T* copies, const Work<T>& work) {
    T *left = u + i * M * K, *right = vt + i * K * N;
    std::copy_n(one, M * N, copies);
    int failed = lapack::gesdd(int(N), int(M), copies, singular + i * K, right, left, work);
    for (long k = 0; failed == 0 && k < K; k++)
      if (is_negative(right + k * N, N)) negate(right + k * N, N), negate(left + k, M, K);
    return failed;
  });
}

// ---- eigh

template <class T> bool symmetric(const T* a, long N) {
  T largest = 0, difference = 0;
  for (long i = 0; i < N; i++)
    for (long j = 0; j < N; j++) {
      largest = std::max(largest, std::abs(a[i * N + j]));
      difference = std::max(difference, std::abs(a[i * N + j] - a[j * N + i]));
    }
  return difference <= T(kSymmetric) * largest;
}

template <class T> Room eigh_room(const MatrixBatch& s) {
  check_blas("eigh");
  T nothing = 0, size = 0;
  int integer = 0;
  lapack::syevd<T>(int(s.rows), &nothing, &nothing, {&size, -1, &integer});
  return {0, told(size), 3 + 5 * s.rows};
}

// values (count, N), vectors (count, N, N): LAPACK's columns are our rows.
template <class T>
void eigh_cpu(T* values, T* vectors, int32_t* info, const T* a, const MatrixBatch& s, void* workspace) {
  const long N = s.rows;
  for_matrices(info, a, s, eigh_room<T>(s), workspace, [&](long i, const T* one, T*, const Work<T>& work) {
    if (!symmetric(one, N)) return int(kNotSymmetric);
    T* rows = vectors + i * N * N;
    std::copy_n(one, N * N, rows);
    int failed = lapack::syevd(int(N), rows, values + i * N, work);
    for (long k = 0; failed == 0 && k < N; k++)
      if (is_negative(rows + k * N, N)) negate(rows + k * N, N);
    return failed;
  });
}

template <class T> long qr_bytes(const MatrixBatch& s) {
  return pieces_of(s.count) * qr_room<T>(s).template bytes<T>();
}
template <class T> long svd_bytes(const MatrixBatch& s) {
  return pieces_of(s.count) * svd_room<T>(s).template bytes<T>();
}
template <class T> long eigh_bytes(const MatrixBatch& s) {
  return pieces_of(s.count) * eigh_room<T>(s).template bytes<T>();
}

template <class T> struct OnCpu {
  Registered qr_room{kernels::qr_workspace_bytes<T>, Backend::cpu, qr_bytes<T>};
  Registered svd_room{kernels::svd_workspace_bytes<T>, Backend::cpu, svd_bytes<T>};
  Registered eigh_room{kernels::eigh_workspace_bytes<T>, Backend::cpu, eigh_bytes<T>};
  Registered qr{kernels::qr<T>, Backend::cpu, qr_cpu<T>};
  Registered svd{kernels::svd<T>, Backend::cpu, svd_cpu<T>};
  Registered eigh{kernels::eigh<T>, Backend::cpu, eigh_cpu<T>};
};
const OnCpu<float> on_cpu_f32;
const OnCpu<double> on_cpu_f64;

}  // namespace
}  // namespace heed
