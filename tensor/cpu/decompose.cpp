// LAPACK on one matrix after the other, single-threaded; the matrices of a batch run in parallel. LAPACK wants columns
// one after the other: a row-major matrix is its transpose there, which svd and eigh use and qr has to undo.
#include "tensor/ops/decompose.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "system/ceil_div.h"
#include "system/parallel.h"
#include "tensor/cpu/lapack.h"

namespace heed {
namespace {

using lapack::Work;

constexpr long kPieces = 16;         // a batch is cut into at most so many pieces, each with scratch of its own
constexpr double kSymmetric = 1e-4;  // of the largest element: more than rounding, less than a mistake
constexpr double kAsLargeAs = 0.9;   // the sign rule of svd and eigh
constexpr long kLine = 64;           // bytes: scratch of two pieces never shares a cache line

long grain_of(long count) { return ceil_div(count, kPieces); }
long pieces_of(long count) { return ceil_div(count, grain_of(count)); }

// What one piece needs: `matrix` elements for copies, LAPACK's scratch and its integers.
struct Room {
  long matrix = 0, work = 0, integers = 0;
  template <class E> long bytes() const {
    long total = (matrix + work) * long(sizeof(E)) + integers * long(sizeof(int));
    return ceil_div(total, kLine) * kLine;
  }
};

// LAPACK tells a size as an E, rounded: take the next larger one.
template <class E> long told(E size) { return long(std::nextafter(size, std::numeric_limits<E>::infinity())) + 1; }

template <class E> bool finite(const E* a, long n) {
  bool all = true;
  for (long i = 0; i < n; i++) all &= std::isfinite(a[i]);
  return all;
}

// Calls solve(matrix number, its place in a, scratch for copies, LAPACK's scratch), which returns LAPACK's info, for
// every matrix that is finite.
template <class E, class Solve>
void for_matrices(int32_t* info, const E* a, const MatrixBatch& s, const Room& room, void* workspace, Solve&& solve) {
  const long grain = grain_of(s.count), size = s.rows * s.cols;
  parallel_for(s.count, grain, [&](long begin, long end) {
    E* copies = reinterpret_cast<E*>(static_cast<char*>(workspace) + begin / grain * room.bytes<E>());
    E* numbers = copies + room.matrix;
    const Work<E> work{numbers, int(room.work), reinterpret_cast<int*>(numbers + room.work)};
    for (long i = begin; i < end; i++)
      info[i] = finite(a + i * size, size) ? int32_t(solve(i, a + i * size, copies, work)) : kNotFinite;
  });
}

// The first element that is about as large as the largest: its sign decides.
template <class E> bool is_negative(const E* vector, long n) {
  E largest = 0;
  for (long i = 0; i < n; i++) largest = std::max(largest, std::abs(vector[i]));
  long i = 0;
  while (i < n - 1 && std::abs(vector[i]) < E(kAsLargeAs) * largest) i++;
  return vector[i] < 0;
}

template <class E> void negate(E* x, long n, long step = 1) {
  for (long i = 0; i < n; i++) x[i * step] = -x[i * step];
}

// ---- qr

template <class E> Room qr_room(const MatrixBatch& s) {
  check_blas("qr");
  const long K = std::min(s.rows, s.cols);
  E nothing = 0, first = 0, second = 0;
  lapack::geqrf<E>(int(s.rows), int(s.cols), &nothing, &nothing, {&first, -1});
  lapack::orgqr<E>(int(s.rows), int(K), &nothing, &nothing, {&second, -1});
  return {s.rows * s.cols + K, told(std::max(first, second)), 0};
}

// a (M, N) = q (M, K) r (K, N); copies: a by columns (N, M), then tau (K)
template <class E> int qr_one(E* q, E* r, const E* a, const MatrixBatch& s, E* copies, const Work<E>& work) {
  const long M = s.rows, N = s.cols, K = std::min(M, N);
  E* tau = copies + M * N;
  for (long i = 0; i < M; i++)
    for (long j = 0; j < N; j++) copies[j * M + i] = a[i * N + j];
  int info = lapack::geqrf(int(M), int(N), copies, tau, work);
  for (long i = 0; i < K; i++)
    for (long j = 0; j < N; j++) r[i * N + j] = j < i ? E(0) : copies[j * M + i];
  if (info == 0) info = lapack::orgqr(int(M), int(K), copies, tau, work);
  for (long i = 0; i < M; i++)
    for (long j = 0; j < K; j++) q[i * K + j] = copies[j * M + i];
  for (long i = 0; i < K; i++)
    if (std::signbit(r[i * N + i])) negate(r + i * N + i, N - i), negate(q + i, M, K);
  return info;
}

// q (count, M, K), r (count, K, N), info (count), a (count, M, N)
template <class E> void qr_cpu(E* q, E* r, int32_t* info, const E* a, const MatrixBatch& s, void* workspace) {
  const long K = std::min(s.rows, s.cols);
  for_matrices(info, a, s, qr_room<E>(s), workspace, [&](long i, const E* one, E* copies, const Work<E>& work) {
    return qr_one(q + i * s.rows * K, r + i * K * s.cols, one, s, copies, work);
  });
}

// ---- svd

template <class E> Room svd_room(const MatrixBatch& s) {
  check_blas("svd");
  E nothing = 0, size = 0;
  int integer = 0;
  lapack::gesdd<E>(int(s.cols), int(s.rows), &nothing, &nothing, &nothing, &nothing, {&size, -1, &integer});
  return {s.rows * s.cols, told(size), 8 * std::min(s.rows, s.cols)};
}

// u (count, M, K), singular (count, K), vt (count, K, N), info (count), a (count, M, N). LAPACK sees a^T = v diag(s)
// u^T, and what it calls u and vt are, row by row, our vt and u.
template <class E>
void svd_cpu(E* u, E* singular, E* vt, int32_t* info, const E* a, const MatrixBatch& s, void* workspace) {
  const long M = s.rows, N = s.cols, K = std::min(M, N);
  for_matrices(info, a, s, svd_room<E>(s), workspace, [&](long i, const E* one, E* copies, const Work<E>& work) {
    E *left = u + i * M * K, *right = vt + i * K * N;
    std::copy_n(one, M * N, copies);
    int failed = lapack::gesdd(int(N), int(M), copies, singular + i * K, right, left, work);
    for (long k = 0; failed == 0 && k < K; k++)
      if (is_negative(right + k * N, N)) negate(right + k * N, N), negate(left + k, M, K);
    return failed;
  });
}

// ---- eigh

template <class E> bool symmetric(const E* a, long N) {
  E largest = 0, difference = 0;
  for (long i = 0; i < N; i++)
    for (long j = 0; j < N; j++) {
      largest = std::max(largest, std::abs(a[i * N + j]));
      difference = std::max(difference, std::abs(a[i * N + j] - a[j * N + i]));
    }
  return difference <= E(kSymmetric) * largest;
}

template <class E> Room eigh_room(const MatrixBatch& s) {
  check_blas("eigh");
  E nothing = 0, size = 0;
  int integer = 0;
  lapack::syevd<E>(int(s.rows), &nothing, &nothing, {&size, -1, &integer});
  return {0, told(size), 3 + 5 * s.rows};
}

// values (count, N), vectors and a (count, N, N), info (count): LAPACK's columns are our rows.
template <class E>
void eigh_cpu(E* values, E* vectors, int32_t* info, const E* a, const MatrixBatch& s, void* workspace) {
  const long N = s.rows;
  for_matrices(info, a, s, eigh_room<E>(s), workspace, [&](long i, const E* one, E*, const Work<E>& work) {
    if (!symmetric(one, N)) return int(kNotSymmetric);
    E* rows = vectors + i * N * N;
    std::copy_n(one, N * N, rows);
    int failed = lapack::syevd(int(N), rows, values + i * N, work);
    for (long k = 0; failed == 0 && k < N; k++)
      if (is_negative(rows + k * N, N)) negate(rows + k * N, N);
    return failed;
  });
}

template <class E> long qr_bytes(const MatrixBatch& s) {
  return pieces_of(s.count) * qr_room<E>(s).template bytes<E>();
}
template <class E> long svd_bytes(const MatrixBatch& s) {
  return pieces_of(s.count) * svd_room<E>(s).template bytes<E>();
}
template <class E> long eigh_bytes(const MatrixBatch& s) {
  return pieces_of(s.count) * eigh_room<E>(s).template bytes<E>();
}

const OnCpu decompose{[]<class E>(auto set) {
  set(kernels::qr_workspace_bytes<E>, qr_bytes<E>);
  set(kernels::svd_workspace_bytes<E>, svd_bytes<E>);
  set(kernels::eigh_workspace_bytes<E>, eigh_bytes<E>);
  set(kernels::qr<E>, qr_cpu<E>);
  set(kernels::svd<E>, svd_cpu<E>);
  set(kernels::eigh<E>, eigh_cpu<E>);
}};

}  // namespace
}  // namespace heed
