// Layer norm and RMS norm, row by row: the mean (0 for RMS norm), the mean square around it, then y. Backward adds up
// dweight and dbias per block of rows (row_blocks.h), so that their bits do not depend on the number of threads.
#include "tensor/ops/layer_norm.h"

#include <cmath>

#include "tensor/cpu/row_blocks.h"
#include "tensor/cpu/simd.h"

namespace heed {
namespace {

// y = (x - mean) * scale * weight + bias for one row (C)
template <class E> void norm_row(E* y, const E* x, const E* weight, const E* bias, long C, E mean, E scale) {
  if (weight && bias) {
    for (long c = 0; c < C; c++) y[c] = (x[c] - mean) * scale * weight[c] + bias[c];
  } else if (weight) {
    for (long c = 0; c < C; c++) y[c] = (x[c] - mean) * scale * weight[c];
  } else {
    for (long c = 0; c < C; c++) y[c] = (x[c] - mean) * scale + (bias ? bias[c] : E(0));
  }
}

// total (C) = x + residual
template <class E> void add_rows(E* total, const E* x, const E* residual, long C) {
  for (long c = 0; c < C; c++) total[c] = x[c] + residual[c];
}

template <class E> void layer_norm_cpu(const NormRows<E>& s) {
  using V = Vec<E>;
  const long C = s.C;
  parallel_for(s.rows, rows_grain(C), [&](long begin, long end) {
    for (long i = begin; i < end; i++) {
      const E* row = s.x + i * C;
      if (s.residual) {
        add_rows(s.sum + i * C, row, s.residual + i * C, C);
        row = s.sum + i * C;
      }
      const auto total = [&] { return sum_vectors<E>(C, [&](long c, auto n) { return V::load(row + c, n); }); };
      const E mean = s.centre == Centre::mean ? total() / E(C) : E(0);
      const E squares = sum_vectors<E>(C, [&](long c, auto n) {
        const V d = V::load(row + c, n, mean) - mean;
        return d * d;
      });
      const E scale = 1 / std::sqrt(squares / E(C) + E(s.epsilon));
      if (s.mean) s.mean[i] = mean;
      s.scale[i] = scale;
      norm_row(s.y + i * C, row, s.weight, s.bias, C, mean, scale);
    }
  });
}

// Row i of the gradient. n = (sum - mean) * scale, g = dy * weight: dx = scale * (g - mean(g) - n * mean(g * n)) +
// dsum, and dweight += dy * n, dbias += dy, all (C). RMS norm is not centred: its dx has no mean(g).
template <class E, bool has_weight> void norm_row_backward(const NormRowsBackward<E>& s, long i, E* dweight, E* dbias) {
  using V = Vec<E>;
  const long C = s.C;
  const E *dy = s.dy + i * C, *x = s.sum + i * C, *weight = s.weight, *dsum = s.dsum ? s.dsum + i * C : nullptr;
  const bool centred = s.centre == Centre::mean;
  const E mean = centred ? s.mean[i] : E(0), scale = s.scale[i];
  auto g = [&](long c, auto n) {
    return has_weight ? V::load(dy + c, n) * V::load(weight + c, n) : V::load(dy + c, n);
  };
  V total_g(E(0));
  const E total_gn = sum_vectors<E>(C, [&](long c, auto n) {
    const V d = V::load(dy + c, n), normed = (V::load(x + c, n, mean) - mean) * scale, slope = g(c, n);
    (V::load(dweight + c, n) + d * normed).store(dweight + c, n);
    (V::load(dbias + c, n) + d).store(dbias + c, n);
    total_g = total_g + slope;
    return slope * normed;
  });
  if (!s.dx) return;
  E* dx = s.dx + i * C;
  const E mean_gn = total_gn / E(C), mean_g = centred ? sum_lanes(total_g) / E(C) : E(0);
  for_vectors<E>(C, [&](long c, auto n) {
    V d = V(scale) * (g(c, n) - mean_g - (V::load(x + c, n) - mean) * scale * mean_gn);
    if (dsum) d = d + V::load(dsum + c, n);
    d.store(dx + c, n);
  });
}

template <class E> long workspace_cpu(long rows, long C) { return row_blocks(rows, C) * 2 * C * long(sizeof(E)); }

// workspace (blocks, 2, C): dweight and dbias of every block of rows
template <class E> void layer_norm_backward_cpu(const NormRowsBackward<E>& s, void* workspace) {
  const long C = s.C, blocks = row_blocks(s.rows, C);
  E* partial = static_cast<E*>(workspace);
  const auto one_row = s.weight ? norm_row_backward<E, true> : norm_row_backward<E, false>;
  parallel_for(s.rows, row_block(C), [&](long begin, long end) {
    E* dw = partial + begin / row_block(C) * 2 * C;
    std::fill_n(dw, 2 * C, E(0));
    for (long i = begin; i < end; i++) one_row(s, i, dw, dw + C);
  });
  if (s.dweight) add_blocks(s.dweight, partial, blocks, 2 * C, C);
  if (s.dbias) add_blocks(s.dbias, partial + C, blocks, 2 * C, C);
}

const OnCpu layer_norm{[]<class E>(auto set) {
  set(kernels::layer_norm<E>, layer_norm_cpu<E>);
  set(kernels::layer_norm_backward<E>, layer_norm_backward_cpu<E>);
  set(kernels::layer_norm_workspace_bytes<E>, workspace_cpu<E>);
}};

}  // namespace
}  // namespace heed
