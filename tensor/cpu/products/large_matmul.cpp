// How it goes. Sums for a block of c, kRows rows of kWidth columns, stay in registers while k runs:
//
//   a is read where it lies
//   b is rearranged into strips of kWidth columns, in which row after row follows; all threads read the same ones
//   c is written once if k is short enough, otherwise added to. Its lines are fetched one by one while the sums are
//   made: with all of them at once a core did 146 GFLOP/s, with this 163 (4096 x 768 x 256), probably because they fill
//   the buffers through which a and b come
//
// A thread takes a panel of rows of c and walks over the strips: a strip stays in the nearer caches while it meets all
// blocks of rows. How all this is cut depends on the shape only.
//
// Of a transposed a (the gradient of weights) strips would have to be made, too; BLAS does that as well.
#include "tensor/cpu/products/large_matmul.h"

#include <algorithm>
#include <cstring>

#include "system/ceil_div.h"
#include "tensor/cpu/products/blas.h"
#include "tensor/cpu/products/small_matmul.h"
#include "tensor/cpu/simd.h"
#include "tensor/cpu/transpose_copy.h"

namespace heed {
namespace {

using V = Vec<float>;
constexpr long kLanes = V::kLanes, kVectors = 2, kWidth = kVectors * kLanes;
constexpr long kRows = kVectorBytes == 64 ? 12 : 6;  // with what they are made of 27 of 32 registers, or 15 of 16
constexpr long kGroup = 3;                           // rows that one pointer reaches: at 0, 1 and 2 times the stride
static_assert(kRows % kGroup == 0);

constexpr long kPanel = 96;                     // rows of c that a thread takes, about
constexpr long kDeepest = 1536, kDepth = 1024;  // along k: all at once up to the one, otherwise in pieces of the other
constexpr long kPacked = 1 << 19;               // numbers of b that are rearranged at a time: 2 MB
constexpr long kTasks = 8;                      // at least so many if there are few panels: by columns, too
constexpr long kSmallest = 1 << 22;             // multiplications below which BLAS is as good

// The length of pieces of n that are as equal as multiples of a step can be, and at most `most`.
long piece_of(long n, long most, long step) { return ceil_div(ceil_div(n, ceil_div(n, most)), step) * step; }

// How a product is cut: pieces of b of depth x columns, the last ones smaller, and an even number of panels of c.
struct Cut {
  long depth, columns, blocks, panels;
  explicit Cut(const MatmulLayout& s)
      : depth(s.k <= kDeepest ? s.k : piece_of(s.k, kDepth, 8)),
        columns(piece_of(s.n, std::max(kWidth, kPacked / depth / kWidth * kWidth), kWidth)),
        blocks(ceil_div(s.m, kRows)),
        panels(2 * ceil_div(s.m, 2 * kPanel)) {}
  long first_row(long panel) const { return blocks * panel / panels * kRows; }
};

// ---- a block of c

// The numbers of a for a block: row i, column p at of(i, p).
struct Rows {  // where they lie
  const float* group[kRows / kGroup];
  long row;
  explicit Rows(const MatrixView<const float>& a) : row(a.row) {
    for (long g = 0; g < kRows / kGroup; g++) group[g] = a.data + g * kGroup * a.row;
  }
  float of(long i, long p) const { return group[i / kGroup][p + i % kGroup * row]; }
};
struct Strip {  // (depth, kRows)
  const float* a;
  float of(long i, long p) const { return a[p * kRows + i]; }
};

// What becomes of the sums: c = sum + bias, or c += sum.
struct Target {
  MatrixView<float> c;
  const float* bias;  // (columns of c); null: none
  bool add;
  Target block(long i, long j, long m, long n) const { return {c.block(i, j, m, n), bias ? bias + j : nullptr, add}; }
};

template <class A> void whole_block(const Target& to, const A a, const float* b, long depth) {
  V sums[kRows][kVectors];
  for (auto& row : sums)
    for (V& sum : row) sum = 0.f;
  const auto accumulate = [&](long begin, long end) __attribute__((always_inline)) {
#pragma GCC unroll 2
    for (long p = begin; p < end; p++) {
      V right[kVectors];
      for (long j = 0; j < kVectors; j++) right[j] = V::load(b + p * kWidth + j * kLanes);
      for (long i = 0; i < kRows; i++) {
        const V left(a.of(i, p));
        for (long j = 0; j < kVectors; j++) sums[i][j] = sums[i][j] + left * right[j];
      }
    }
  };
  const long step = depth / kRows / 2 * 2;
  for (long i = 0; i < kRows; i++) {
    __builtin_prefetch(to.c.data + i * to.c.row, 1);
    __builtin_prefetch(to.c.data + i * to.c.row + kWidth - 1, 1);
    accumulate(i * step, (i + 1) * step);
  }
  accumulate(kRows * step, depth);
  for (long i = 0; i < kRows; i++)
    for (long j = 0; j < kVectors; j++) {
      float* c = to.c.data + i * to.c.row + j * kLanes;
      const V before = to.add ? V::load(c) : to.bias ? V::load(to.bias + j * kLanes) : V(0.f);
      (before + sums[i][j]).store(c);
    }
}

// The same for at most kRows rows and kWidth columns of c.
template <class A> void block(const Target& to, const A& a, const float* b, long depth) {
  if (to.c.rows == kRows && to.c.columns == kWidth) return whole_block(to, a, b, depth);
  alignas(64) float sums[kRows * kWidth];
  whole_block({{sums, kRows, kWidth, kWidth, 1}, nullptr, false}, a, b, depth);
  for (long i = 0; i < to.c.rows; i++)
    for (long j = 0; j < to.c.columns; j++) {
      float& c = to.c(i, j);
      c = (to.add ? c : to.bias ? to.bias[j] : 0.f) + sums[i * kWidth + j];
    }
}

// ---- strips of b

// count <= width numbers, and zeros up to the width
template <long width> void copy_padded(float* to, const float* from, long count) {
  if (count >= width) return void(std::memcpy(to, from, width * sizeof(float)));
  std::fill(std::copy_n(from, count, to), to + width, 0.f);
}

// A piece of b, (depth, columns), as strips (depth, kWidth), with zeros beyond its columns.
void make_strips_of_b(float* to, const MatrixView<const float>& b) {
  const long depth = b.rows, strips = ceil_div(b.columns, kWidth);
  if (b.column != 1)
    return parallel_for(strips, 1, [&](long begin, long end) {
      for (long i = begin; i < end; i++) {
        const long count = std::min(kWidth, b.columns - i * kWidth);
        if (count < kWidth) std::fill_n(to + i * depth * kWidth, depth * kWidth, 0.f);
        transpose_block(to + i * depth * kWidth, kWidth, b.data + i * kWidth * b.column, b.column, depth, count);
      }
    });
  parallel_for(depth, 32, [&](long begin, long end) {
    for (long p = begin; p < end; p++)
      for (long i = 0; i < strips; i++)
        copy_padded<kWidth>(to + (i * depth + p) * kWidth, &b(p, i * kWidth), b.columns - i * kWidth);
  });
}

// ---- a panel of c, for a piece of a (m, depth) and the strips of a piece of b

void panel_of_rows(const Target& to, const MatrixView<const float>& a, const float* strips) {
  alignas(64) float last[kRows * kDeepest];  // the rows that make no whole block, (depth, kRows)
  const long m = a.rows, depth = a.columns, whole = m / kRows * kRows;
  std::fill_n(last, whole < m ? depth * kRows : 0, 0.f);
  transpose_plain(last, kRows, a.data + whole * a.row, a.row, whole < m ? depth : 0, m - whole);
  for (long j = 0; j < to.c.columns; j += kWidth) {
    const long width = std::min(kWidth, to.c.columns - j);
    const float* strip = strips + j * depth;
    for (long i = 0; i < whole; i += kRows)
      block(to.block(i, j, kRows, width), Rows(a.some_rows(i, kRows)), strip, depth);
    if (whole < m) block(to.block(whole, j, m - whole, width), Strip{last}, strip, depth);
  }
}

// Does this build use as much of the CPU as BLAS, which chooses its kernels when it is loaded? An unknown BLAS may use
// all.
bool as_wide_as_blas() {
  static const bool wide = [] {
    const int blas = blas_kernel_rank(blas_kernels()), rank = blas < 0 ? cpu_kernel_rank() : blas;
    return build_kernel_rank() >= std::max(2, rank) && !user_chose_kernels();
  }();
  return wide;
}

}  // namespace

bool is_large_matmul(const MatmulLayout& s) {
  return s.m > kFewRows && !s.a_transposed && s.batch.numel() == 1 && s.n >= kWidth && s.k >= kWidth &&
         double(s.m) * double(s.n) * double(s.k) >= kSmallest && as_wide_as_blas();
}

long large_matmul_workspace_bytes(const MatmulLayout& s) {
  const Cut cut(s);
  return cut.depth * cut.columns * long(sizeof(float));
}

void large_matmul(float* c, const float* a, const float* b, const float* bias, const MatmulLayout& s, void* workspace) {
  const Cut cut(s);
  const MatrixView<const float> left = left_of(a, s), right = right_of(b, s);
  const Target product{{c, s.m, s.n, s.n, 1}, bias, false};
  float* strips = static_cast<float*>(workspace);
  for (long j = 0; j < s.n; j += cut.columns)
    for (long p = 0; p < s.k; p += cut.depth) {
      const long n = std::min(cut.columns, s.n - j), depth = std::min(cut.depth, s.k - p);
      make_strips_of_b(strips, right.block(p, j, depth, n));
      const long strips_here = ceil_div(n, kWidth), groups = std::clamp(kTasks / cut.panels, 1L, strips_here);
      parallel_for(cut.panels * groups, 1, [&](long begin, long end) {
        for (long task = begin; task < end; task++) {
          const long panel = task / groups, group = task % groups;
          const long i = cut.first_row(panel), m = std::min(cut.first_row(panel + 1), s.m) - i;
          const long first = strips_here * group / groups * kWidth;
          const long last = std::min(n, strips_here * (group + 1) / groups * kWidth);
          Target to = product.block(i, j + first, m, last - first);
          to.add = p > 0;
          panel_of_rows(to, left.block(i, p, m, depth), strips + first * depth);
        }
      });
    }
}

}  // namespace heed
