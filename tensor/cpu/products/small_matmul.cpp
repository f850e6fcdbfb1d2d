// Up to three rows are dot products, with vectors along k. More rows are computed as c^T = b^T a^T: a is small and is
// transposed first, so that vectors run along its rows.
#include "tensor/cpu/products/small_matmul.h"

#include <utility>

#include "system/ceil_div.h"
#include "tensor/cpu/products/gemm_tile.h"
#include "tensor/cpu/transpose_copy.h"

namespace heed {
namespace {

// ---- dot products

// Two vectors whose lanes are sums in groups of `count` become one with groups of count / 2: the first half of a group
// from a, the second from b.
template <long count, class E, size_t... j> Vec<E> fold(Vec<E> a, Vec<E> b, std::index_sequence<j...>) {
  constexpr long kLanes = Vec<E>::kLanes, half = count / 2;
  constexpr auto low = [](long i) { return (i % count < half ? 0 : kLanes) + i / count * count + i % half; };
  return __builtin_shufflevector(a.raw, b.raw, low(long(j))...) +
         __builtin_shufflevector(a.raw, b.raw, (low(long(j)) + half)...);
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

// c (R, n) = a (R, k) b (k, n), for as many columns as make R * n <= kLanes; rows of a and columns of b are dense.
// Not inline: the loop needs all registers for itself.
template <class E, long R>
[[gnu::noinline]] void dot_tile(MatrixView<E> c, MatrixView<const E> a, MatrixView<const E> b) {
  constexpr long kLanes = Vec<E>::kLanes, N = kLanes / R, kLine = 64 / long(sizeof(E));
  const E* columns[N];
  for (long j = 0; j < N; j++) columns[j] = b.data + std::min(j, b.columns - 1) * b.column;
  Vec<E> sums[kLanes];
  for (auto& sum : sums) sum = E(0);
  const auto add = [&](long p, auto count) {
    Vec<E> left[R];
    for (long i = 0; i < R; i++) left[i] = Vec<E>::load(a.data + i * a.row + p, count);
    for (long j = 0; j < N; j++) {
      const Vec<E> right = Vec<E>::load(columns[j] + p, count);
      for (long i = 0; i < R; i++) sums[i * N + j] = sums[i * N + j] + left[i] * right;
    }
  };
  const long k = a.columns, ahead = N * b.column;
  long p = 0;
  if (ahead * long(sizeof(E)) <= kMostAhead)
    for (; p + kLine <= k; p += kLine) {
      for (long j = 0; j < N; j++) __builtin_prefetch(columns[j] + p + ahead);
      for (long u = 0; u < kLine; u += kLanes) add(p + u, Whole<E>());
    }
  for_vectors<E>(k - p, [&](long i, auto count) { add(p + i, count); });
  E values[kLanes];
  sum_each<kLanes>(sums).store(values);
  for (long i = 0; i < R; i++) std::copy_n(values + i * N, c.columns, c.data + i * c.row);
}

// R rows of c, from row i on
template <long R, class E>
void dot_rows(long i, const MatrixView<E>& c, const MatrixView<const E>& a, const MatrixView<const E>& b) {
  constexpr long N = Vec<E>::kLanes / R;
  for (long j = 0; j < c.columns; j += N) {
    const long n = std::min(N, c.columns - j);
    dot_tile<E, R>(c.block(i, j, R, n), a.some_rows(i, R), b.some_columns(j, n));
  }
}

template <class E>
void dot_products(const MatrixView<E>& c, const MatrixView<const E>& a, const MatrixView<const E>& b) {
  long i = 0;
  for (; i + 2 <= c.rows; i += 2) dot_rows<2>(i, c, a, b);
  if (i < c.rows) dot_rows<1>(i, c, a, b);
}

// ---- transposed

constexpr long kDepth = 512, kColumns = 48;  // along k and n: a piece of a^T and of c^T stay in the caches
constexpr long kWidth = kFewRows + 16;       // room for the rows of a, rounded up to whole vectors

// c (m, n) = or += a (m, depth) b (depth, n), given a^T (depth, width) with zeros beyond m
template <class E>
void columns(const MatrixView<E>& c, const MatrixView<const E>& a_transposed, const MatrixView<const E>& b, bool add) {
  const long width = a_transposed.columns;
  alignas(64) E block[kColumns * kWidth];  // (count, width): a piece of c^T
  for (long j = 0; j < c.columns; j += kColumns) {
    const long count = std::min(kColumns, c.columns - j);
    const MatrixView<E> c_transposed{block, count, width, width, 1};
    gemm_tile<Into::store>(c_transposed, b.some_columns(j, count).transposed(), a_transposed);
    if (!add) transpose_block(c.data + j, c.row, block, width, c.rows, count);
    for (long i = 0; i < c.rows && add; i++)
      for (long r = 0; r < count; r++) c(i, j + r) += block[r * width + i];
  }
}

template <class E>
void transposed_product(const MatrixView<E>& c, const MatrixView<const E>& a, const MatrixView<const E>& b) {
  constexpr long kLanes = Vec<E>::kLanes;
  const long m = c.rows, k = a.columns, width = ceil_div(m, kLanes) * kLanes;
  alignas(64) E a_transposed[kDepth * kWidth];
  for (long first = 0; first < k; first += kDepth) {
    const long depth = std::min(kDepth, k - first);
    std::fill_n(a_transposed, width > m ? depth * width : 0, E(0));
    if (a.column == 1)
      transpose_block(a_transposed, width, a.data + first, a.row, depth, m);
    else
      for (long p = 0; p < depth; p++)
        for (long i = 0; i < m; i++) a_transposed[p * width + i] = a(i, first + p);
    columns(c, {a_transposed, depth, width, width, 1}, b.some_rows(first, depth), first > 0);
  }
}

}  // namespace

template <class E> void small_matmul(const MatrixView<E>& c, const ConstMatrix<E>& a, const ConstMatrix<E>& b) {
  if (c.rows <= 3 && a.column == 1)
    dot_products(c, a, b);
  else
    transposed_product(c, a, b);
}

template void small_matmul(const MatrixView<float>&, const ConstMatrix<float>&, const ConstMatrix<float>&);
template void small_matmul(const MatrixView<double>&, const ConstMatrix<double>&, const ConstMatrix<double>&);

}  // namespace heed
