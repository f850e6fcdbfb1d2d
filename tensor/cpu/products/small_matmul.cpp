// Up to three rows are dot products, with vectors along k. More rows are computed as c^T = b a^T: a is small and is
// transposed round first, so that vectors run along its rows.
#include "tensor/cpu/products/small_matmul.h"

#include <utility>

#include "tensor/cpu/products/gemm_tile.h"
#include "tensor/cpu/transpose_copy.h"

namespace heed {
namespace {

// ---- dot products

// Two vectors whose lanes are sums in groups of `count` become one with groups of count / 2: the first half of a group
// from a, the second from b.
template <long count, class E, size_t... j> Vec<E> fold(Vec<E> a, Vec<E> b, std::index_sequence<j...>) {
  using Int = typename Vec<E>::Int;
  constexpr long kLanes = Vec<E>::kLanes, half = count / 2;
  constexpr Int low = {(long(j) % count < half ? 0 : kLanes) + long(j) / count * count + long(j) % half...};
  return __builtin_shuffle(a.raw, b.raw, low) + __builtin_shuffle(a.raw, b.raw, low + half);
}

// Lane j of the result is the sum of all lanes of v[j].
template <long count, class E> Vec<E> sum_each(Vec<E> (&v)[Vec<E>::kLanes]) {
  for (long i = 0; i < count / 2; i++)
    v[i] = fold<count>(v[i], v[i + count / 2], std::make_index_sequence<size_t(Vec<E>::kLanes)>());
  if constexpr (count > 2)
    return sum_each<count / 2>(v);
  else
    return v[0];
}

// While a tile of b is read the next one is fetched: short rows end before the hardware has seen where they lead. Tiles
// of more bytes than this have long rows, which need no help, and two of them would not fit into the L1 cache.
constexpr long kMostAhead = 1 << 14;

// c (R, columns) = a (R, k) b^T, b (columns, k), for as many columns as make R * columns <= kLanes
template <class E, long R>
void dot_tile(E* c, long c_row, const E* a, long a_row, const E* b, long b_row, long columns, long k) {
  constexpr long kLanes = Vec<E>::kLanes, N = kLanes / R, kLine = 64 / long(sizeof(E));
  const E* rows[N];
  for (long j = 0; j < N; j++) rows[j] = b + std::min(j, columns - 1) * b_row;
  Vec<E> sums[kLanes];
  for (auto& sum : sums) sum = E(0);
  const auto add = [&](long p, auto count) {
    Vec<E> left[R];
    for (long i = 0; i < R; i++) left[i] = Vec<E>::load(a + i * a_row + p, count);
    for (long j = 0; j < N; j++) {
      const Vec<E> right = Vec<E>::load(rows[j] + p, count);
      for (long i = 0; i < R; i++) sums[i * N + j] = sums[i * N + j] + left[i] * right;
    }
  };
  const long ahead = N * b_row;
  long p = 0;
  if (ahead * long(sizeof(E)) <= kMostAhead)
    for (; p + kLine <= k; p += kLine) {
      for (long j = 0; j < N; j++) __builtin_prefetch(rows[j] + p + ahead);
      for (long u = 0; u < kLine; u += kLanes) add(p + u, Whole<E>());
    }
  for_vectors<E>(k - p, [&](long i, auto count) { add(p + i, count); });
  E values[kLanes];
  sum_each<kLanes>(sums).store(values);
  for (long i = 0; i < R; i++) std::copy_n(values + i * N, columns, c + i * c_row);
}

template <class E>
void dot_products(E* c, long c_row, const E* a, long a_row, const E* b, long b_row, long m, long n, long k) {
  constexpr long kLanes = Vec<E>::kLanes, N = kLanes / 2;
  long i = 0;
  for (; i + 2 <= m; i += 2)
    for (long j = 0; j < n; j += N)
      dot_tile<E, 2>(c + i * c_row + j, c_row, a + i * a_row, a_row, b + j * b_row, b_row, std::min(N, n - j), k);
  for (long j = 0; i < m && j < n; j += kLanes)
    dot_tile<E, 1>(c + i * c_row + j, c_row, a + i * a_row, a_row, b + j * b_row, b_row, std::min(kLanes, n - j), k);
}

// ---- transposed

constexpr long kDepth = 512, kColumns = 48;  // along k and n: a piece of a^T and of c^T stay in the caches
constexpr long kWidth = kFewRows + 16;       // room for the rows of a, rounded up to whole vectors

// c (m, n) = or += a (m, depth) b^T, b (n, depth), with transposed (depth, width) = a^T, and zeros beyond m
template <class E>
void columns(E* c, long c_row, const E* b, long b_row, const E* transposed, long width, long m, long n, long depth,
             bool add) {
  alignas(64) E block[kColumns * kWidth];  // (columns, width): a piece of c^T
  for (long j = 0; j < n; j += kColumns) {
    const long count = std::min(kColumns, n - j);
    gemm_tile<Into::store>(block, width, TileMatrix<E>{b + j * b_row, b_row, 1}, transposed, width, count, width,
                           depth);
    if (!add) transpose_block(c + j, c_row, block, width, m, count);
    for (long i = 0; i < m && add; i++)
      for (long r = 0; r < count; r++) c[i * c_row + j + r] += block[r * width + i];
  }
}

template <class E>
void turned_round(E* c, long c_row, const E* a, long a_row, long a_col, const E* b, long b_row, long m, long n,
                  long k) {
  constexpr long kLanes = Vec<E>::kLanes;
  const long width = (m + kLanes - 1) / kLanes * kLanes;
  alignas(64) E transposed[kDepth * kWidth];
  for (long first = 0; first < k; first += kDepth) {
    const long depth = std::min(kDepth, k - first);
    std::fill_n(transposed, width > m ? depth * width : 0, E(0));
    if (a_col == 1)
      transpose_block(transposed, width, a + first, a_row, depth, m);
    else
      for (long p = 0; p < depth; p++)
        for (long i = 0; i < m; i++) transposed[p * width + i] = a[i * a_row + (first + p) * a_col];
    columns(c, c_row, b + first, b_row, transposed, width, m, n, depth, first > 0);
  }
}

}  // namespace

template <class E>
void small_matmul(E* c, long c_row, const E* a, long a_row, long a_col, const E* b, long b_row, long m, long n,
                  long k) {
  if (m <= 3 && a_col == 1)
    dot_products(c, c_row, a, a_row, b, b_row, m, n, k);
  else
    turned_round(c, c_row, a, a_row, a_col, b, b_row, m, n, k);
}

template void small_matmul(float*, long, const float*, long, long, const float*, long, long, long, long);
template void small_matmul(double*, long, const double*, long, long, const double*, long, long, long, long);

}  // namespace heed
