// Layer norm and RMS norm share their kernels: RMS norm is layer norm with a mean of 0 that is not stored.
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

// y, sum, x, residual (rows, C); mean, scale (rows); weight, bias (C). With `residual`: sum = x + residual is normed.
// Without `mean`: RMS norm.
template <class E>
void norm_cpu(E* y, E* sum, E* mean, E* scale, const E* x, const E* residual, const E* weight, const E* bias, long rows,
              long C, double epsilon) {
  using V = Vec<E>;
  parallel_for(rows, rows_grain(C), [&](long begin, long end) {
    for (long i = begin; i < end; i++) {
      const E* row = x + i * C;
      if (residual) {
        E* total = sum + i * C;
        for (long c = 0; c < C; c++) total[c] = row[c] + residual[i * C + c];
        row = total;
      }
      const E centre = mean ? sum_vectors<E>(C, [&](long c, auto n) { return V::load(row + c, n); }) / E(C) : E(0);
      const E square = sum_vectors<E>(C,
                                      [&](long c, auto n) {
                                        const V d = V::load(row + c, n, centre) - centre;
                                        return d * d;
                                      }) /
                       E(C);
      if (mean) mean[i] = centre;
      scale[i] = 1 / std::sqrt(square + E(epsilon));
      norm_row(y + i * C, row, weight, bias, C, centre, scale[i]);
    }
  });
}

// One row of the gradient. n = (x - mean) * scale, g = dy * weight: dx = scale * (g - mean(g) - n * mean(g * n)) +
// dsum, and dweight += dy * n, dbias += dy, all (C). RMS norm is not centred: its dx has no mean(g).
template <class E, bool has_weight>
void norm_row_backward(E* dx, E* dweight, E* dbias, const E* dy, const E* x, const E* weight, const E* dsum, long C,
                       bool centred, E mean, E scale) {
  using V = Vec<E>;
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
  if (!dx) return;
  const E mean_gn = total_gn / E(C), mean_g = centred ? sum_lanes(total_g) / E(C) : E(0);
  for_vectors<E>(C, [&](long c, auto n) {
    V d = V(scale) * (g(c, n) - mean_g - (V::load(x + c, n) - mean) * scale * mean_gn);
    if (dsum) d = d + V::load(dsum + c, n);
    d.store(dx + c, n);
  });
}

template <class E> long workspace_cpu(long rows, long C) { return row_blocks(rows, C) * 2 * C * long(sizeof(E)); }

// dx, dy, x, dsum (rows, C); dweight, dbias, weight (C); mean, scale (rows); workspace (blocks, 2, C)
template <class E>
void norm_backward_cpu(E* dx, E* dweight, E* dbias, const E* dy, const E* dsum, const E* x, const E* weight,
                       const E* mean, const E* scale, long rows, long C, void* workspace) {
  E* partial = static_cast<E*>(workspace);
  const auto one_row = weight ? norm_row_backward<E, true> : norm_row_backward<E, false>;
  parallel_for(rows, row_block(C), [&](long begin, long end) {
    E* dw = partial + begin / row_block(C) * 2 * C;
    std::fill_n(dw, 2 * C, E(0));
    for (long i = begin; i < end; i++)
      one_row(dx ? dx + i * C : nullptr, dw, dw + C, dy + i * C, x + i * C, weight, dsum ? dsum + i * C : nullptr, C,
              mean != nullptr, mean ? mean[i] : E(0), scale[i]);
  });
  if (dweight) add_blocks(dweight, partial, row_blocks(rows, C), 2 * C, C);
  if (dbias) add_blocks(dbias, partial + C, row_blocks(rows, C), 2 * C, C);
}

template <class E> void register_all() {
  kernels::layer_norm<E>.set(Backend::cpu, norm_cpu<E>);
  kernels::rms_norm<E>.set(Backend::cpu, norm_cpu<E>);
  kernels::layer_norm_backward<E>.set(Backend::cpu, norm_backward_cpu<E>);
  kernels::rms_norm_backward<E>.set(Backend::cpu, norm_backward_cpu<E>);
  kernels::norm_workspace_bytes<E>.set(Backend::cpu, workspace_cpu<E>);
}

const bool registered = (register_all<float>(), register_all<double>(), true);

}  // namespace
}  // namespace heed
