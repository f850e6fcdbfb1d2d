// Layer norm and RMS norm share their kernels: RMS norm is layer norm with a mean of 0 that is not stored.
#include "tensor/ops/layer_norm.h"

#include <cmath>

#include "tensor/cpu/row_blocks.h"
#include "tensor/cpu/simd.h"

namespace heed {
namespace {

// y = (x - mean) * scale * weight + bias for one row (C)
template <class T> void norm_row(T* y, const T* x, const T* weight, const T* bias, long C, T mean, T scale) {
  if (weight && bias) {
    for (long c = 0; c < C; c++) y[c] = (x[c] - mean) * scale * weight[c] + bias[c];
  } else if (weight) {
    for (long c = 0; c < C; c++) y[c] = (x[c] - mean) * scale * weight[c];
  } else {
    for (long c = 0; c < C; c++) y[c] = (x[c] - mean) * scale + (bias ? bias[c] : T(0));
  }
}

// y, sum, x, residual (rows, C); mean, scale (rows); weight, bias (C). With `residual`: sum = x + residual is normed.
// Without `mean`: RMS norm.
template <class T>
void norm_cpu(T* y, T* sum, T* mean, T* scale, const T* x, const T* residual, const T* weight, const T* bias, long rows,
              long C, double epsilon) {
  using V = Vec<T>;
  parallel_for(rows, rows_grain(C), [&](long begin, long end) {
    for (long i = begin; i < end; i++) {
      const T* row = x + i * C;
      if (residual) {
        T* total = sum + i * C;
        for (long c = 0; c < C; c++) total[c] = row[c] + residual[i * C + c];
        row = total;
      }
      const T centre = mean ? sum_vectors<T>(C, [&](long c, auto n) { return V::load(row + c, n); }) / T(C) : T(0);
      const T square = sum_vectors<T>(C,
                                      [&](long c, auto n) {
                                        const V d = V::load(row + c, n, centre) - centre;
                                        return d * d;
                                      }) /
                       T(C);
      if (mean) mean[i] = centre;
      scale[i] = 1 / std::sqrt(square + T(epsilon));
      norm_row(y + i * C, row, weight, bias, C, centre, scale[i]);
    }
  });
}

// One row of the gradient. n = (x - mean) * scale, g = dy * weight: dx = scale * (g - mean(g) - n * mean(g * n)) + dsum,
// and dweight += dy * n, dbias += dy, all (C). RMS norm is not centred: its dx has no mean(g).
template <class T, bool has_weight>
void norm_row_backward(T* dx, T* dweight, T* dbias, const T* dy, const T* x, const T* weight, const T* dsum, long C,
                       bool centred, T mean, T scale) {
  using V = Vec<T>;
  auto g = [&](long c, auto n) {
    return has_weight ? V::load(dy + c, n) * V::load(weight + c, n) : V::load(dy + c, n);
  };
  V total_g(T(0));
  const T total_gn = sum_vectors<T>(C, [&](long c, auto n) {
    const V d = V::load(dy + c, n), normed = (V::load(x + c, n, mean) - mean) * scale, slope = g(c, n);
    (V::load(dweight + c, n) + d * normed).store(dweight + c, n);
    (V::load(dbias + c, n) + d).store(dbias + c, n);
    total_g = total_g + slope;
    return slope * normed;
  });
  if (!dx) return;
  const T mean_gn = total_gn / T(C), mean_g = centred ? sum_lanes(total_g) / T(C) : T(0);
  for_vectors<T>(C, [&](long c, auto n) {
    V d = V(scale) * (g(c, n) - mean_g - (V::load(x + c, n) - mean) * scale * mean_gn);
    if (dsum) d = d + V::load(dsum + c, n);
    d.store(dx + c, n);
  });
}

template <class T> long workspace_cpu(long rows, long C) { return row_blocks(rows, C) * 2 * C * long(sizeof(T)); }

// dx, dy, x, dsum (rows, C); dweight, dbias, weight (C); mean, scale (rows); workspace (blocks, 2, C)
template <class T>
void norm_backward_cpu(T* dx, T* dweight, T* dbias, const T* dy, const T* dsum, const T* x, const T* weight,
                       const T* mean, const T* scale, long rows, long C, void* workspace) {
  T* partial = static_cast<T*>(workspace);
  const auto one_row = weight ? norm_row_backward<T, true> : norm_row_backward<T, false>;
  parallel_for(rows, row_block(C), [&](long begin, long end) {
    T* dw = partial + begin / row_block(C) * 2 * C;
    std::fill_n(dw, 2 * C, T(0));
    for (long i = begin; i < end; i++)
      one_row(dx ? dx + i * C : nullptr, dw, dw + C, dy + i * C, x + i * C, weight, dsum ? dsum + i * C : nullptr, C,
              mean != nullptr, mean ? mean[i] : T(0), scale[i]);
  });
  if (dweight) add_blocks(dweight, partial, row_blocks(rows, C), 2 * C, C);
  if (dbias) add_blocks(dbias, partial + C, row_blocks(rows, C), 2 * C, C);
}

template <class T> void register_all() {
  kernels::layer_norm<T>.set(Backend::cpu, norm_cpu<T>);
  kernels::rms_norm<T>.set(Backend::cpu, norm_cpu<T>);
  kernels::layer_norm_backward<T>.set(Backend::cpu, norm_backward_cpu<T>);
  kernels::rms_norm_backward<T>.set(Backend::cpu, norm_backward_cpu<T>);
  kernels::norm_workspace_bytes<T>.set(Backend::cpu, workspace_cpu<T>);
}

const bool registered = (register_all<float>(), register_all<double>(), true);

}  // namespace
}  // namespace heed
