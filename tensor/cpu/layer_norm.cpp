// Layer norm and RMS norm share their kernels: RMS norm is layer norm with a mean of 0 that is not stored.
#include "tensor/layer_norm.h"

#include <cmath>

#include "tensor/cpu/lane_sum.h"
#include "tensor/cpu/walk.h"

namespace heed {
namespace {

// Rows are cut into blocks by the shape only; each block adds up its own part of dweight and dbias.
long block_of(long C) { return std::max(16L, kElementGrain / std::max(1L, C)); }
long blocks_of(long rows, long C) { return (rows + block_of(C) - 1) / block_of(C); }

// y = (x - mean) * scale * weight + bias for one row (C)
template <class T> void norm_row(T* y, const T* x, const T* weight, const T* bias, long C, T mean, T scale) {
  for (long c = 0; c < C; c++) y[c] = (x[c] - mean) * scale;
  if (weight)
    for (long c = 0; c < C; c++) y[c] *= weight[c];
  if (bias)
    for (long c = 0; c < C; c++) y[c] += bias[c];
}

// y, x (rows, C); mean, scale (rows); weight, bias (C). Without `mean`: RMS norm.
template <class T>
void norm_cpu(T* y, T* mean, T* scale, const T* x, const T* weight, const T* bias, long rows, long C, double epsilon) {
  parallel_for(rows, block_of(C), [&](long begin, long end) {
    for (long i = begin; i < end; i++) {
      const T* row = x + i * C;
      const T centre = mean ? lane_sum<T>(C, [&](long c) { return row[c]; }) / T(C) : T(0);
      const T square = lane_sum<T>(C, [&](long c) { return (row[c] - centre) * (row[c] - centre); }) / T(C);
      if (mean) mean[i] = centre;
      scale[i] = 1 / std::sqrt(square + T(epsilon));
      norm_row(y + i * C, row, weight, bias, C, centre, scale[i]);
    }
  });
}

// n = (x - mean) * scale, g = dy * weight: dx = scale * (g - mean(g) - n * mean(g * n)), all (C). `centred` is false
// for RMS norm, whose dx has no mean(g).
template <class T>
void norm_row_backward(T* dx, const T* dy, const T* x, const T* weight, long C, bool centred, T mean, T scale) {
  auto g = [&](long c) { return weight ? dy[c] * weight[c] : dy[c]; };
  auto n = [&](long c) { return (x[c] - mean) * scale; };
  const T mean_g = centred ? lane_sum<T>(C, g) / T(C) : T(0);
  const T mean_gn = lane_sum<T>(C, [&](long c) { return g(c) * n(c); }) / T(C);
  for (long c = 0; c < C; c++) dx[c] = scale * (g(c) - mean_g - n(c) * mean_gn);
}

template <class T> long workspace_cpu(long rows, long C) { return blocks_of(rows, C) * 2 * C * long(sizeof(T)); }

// total (C) = sum of partial (blocks, 2, C) over the blocks, in their order
template <class T> void add_blocks(T* total, const T* partial, long blocks, long C) {
  std::fill_n(total, C, T(0));
  for (long b = 0; b < blocks; b++)
    for (long c = 0; c < C; c++) total[c] += partial[b * 2 * C + c];
}

// dx, dy, x (rows, C); dweight, dbias, weight (C); mean, scale (rows); workspace (blocks, 2, C)
template <class T>
void norm_backward_cpu(T* dx, T* dweight, T* dbias, const T* dy, const T* x, const T* weight, const T* mean,
                       const T* scale, long rows, long C, void* workspace) {
  T* partial = static_cast<T*>(workspace);
  parallel_for(rows, block_of(C), [&](long begin, long end) {
    T *dw = partial + begin / block_of(C) * 2 * C, *db = dw + C;
    std::fill_n(dw, 2 * C, T(0));
    for (long i = begin; i < end; i++) {
      const T *d = dy + i * C, *row = x + i * C, centre = mean ? mean[i] : T(0);
      if (dx) norm_row_backward(dx + i * C, d, row, weight, C, mean != nullptr, centre, scale[i]);
      if (dweight)
        for (long c = 0; c < C; c++) dw[c] += d[c] * ((row[c] - centre) * scale[i]);
      if (dbias)
        for (long c = 0; c < C; c++) db[c] += d[c];
    }
  });
  if (dweight) add_blocks(dweight, partial, blocks_of(rows, C), C);
  if (dbias) add_blocks(dbias, partial + C, blocks_of(rows, C), C);
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
