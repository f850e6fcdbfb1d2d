// Layer norm and RMS norm: a block per row, which it reads three times. Backward goes over everything twice: row by row
// for dx, then by columns for dweight and dbias (column_sums.cuh).
#include "tensor/ops/layer_norm.h"

#include "cuda/column_sums.cuh"

namespace heed::cuda {
namespace {

template <class E> struct Norm {
  NormRows<E> s;

  __device__ void operator()(long i) const {
    const long C = s.C;
    const E* row = s.x + i * C;
    if (s.residual) {
      E* sum = s.sum + i * C;
      for (long c = threadIdx.x; c < C; c += blockDim.x) sum[c] = row[c] + s.residual[i * C + c];
      row = sum;  // what a thread reads of it below it has written itself
    }
    E mean = 0, squares = 0;
    if (s.centre == Centre::mean) {
      for (long c = threadIdx.x; c < C; c += blockDim.x) mean += row[c];
      mean = sum_over_block(mean) / E(C);
    }
    for (long c = threadIdx.x; c < C; c += blockDim.x) squares += (row[c] - mean) * (row[c] - mean);
    const E scale = 1 / std::sqrt(sum_over_block(squares) / E(C) + E(s.epsilon));
    if (threadIdx.x == 0) {
      if (s.mean) s.mean[i] = mean;
      s.scale[i] = scale;
    }
    E* y = s.y + i * C;
    for (long c = threadIdx.x; c < C; c += blockDim.x) {
      const E normed = (row[c] - mean) * scale;
      y[c] = (s.weight ? normed * s.weight[c] : normed) + (s.bias ? s.bias[c] : E(0));
    }
  }
};

template <class E> void layer_norm(const NormRows<E>& s) {
  for_rows("layer_norm", s.rows, threads_for(s.C), Norm<E>{s});
}

// With n = (sum - mean) * scale and g = dy * weight: dx = scale * (g - mean(g) - n * mean(g * n)) + dsum. RMS norm is
// not centred: its dx has no mean(g).
template <class E> struct NormBackward {
  NormRowsBackward<E> s;

  __device__ E slope(long i, long c) const { return s.dy[i * s.C + c] * (s.weight ? s.weight[c] : E(1)); }
  __device__ E normed(long i, long c) const { return (s.sum[i * s.C + c] - (s.mean ? s.mean[i] : E(0))) * s.scale[i]; }

  __device__ void operator()(long i) const {
    E g = 0, gn = 0;
    for (long c = threadIdx.x; c < s.C; c += blockDim.x) {
      g += slope(i, c);
      gn += slope(i, c) * normed(i, c);
    }
    const E mean_gn = sum_over_block(gn) / E(s.C);
    const E mean_g = s.centre == Centre::mean ? sum_over_block(g) / E(s.C) : E(0);
    for (long c = threadIdx.x; c < s.C; c += blockDim.x) {
      const E d = s.scale[i] * (slope(i, c) - mean_g - normed(i, c) * mean_gn);
      s.dx[i * s.C + c] = s.dsum ? d + s.dsum[i * s.C + c] : d;
    }
  }
};

// The sums over all rows: dweight = sum of dy * n, dbias = sum of dy
template <class E> struct Slopes {
  E weight, bias;
  friend __device__ Slopes operator+(const Slopes& a, const Slopes& b) {
    return {a.weight + b.weight, a.bias + b.bias};
  }
};

template <class E> struct SlopesOfRow {
  NormBackward<E> row;
  __device__ Slopes<E> operator()(long i, long c) const {
    const E dy = row.s.dy[i * row.s.C + c];
    return {dy * row.normed(i, c), dy};
  }
};

template <class E> struct StoreSlopes {
  E *dweight, *dbias;
  __device__ void operator()(long c, const Slopes<E>& sum) const {
    if (dweight) dweight[c] = sum.weight;
    if (dbias) dbias[c] = sum.bias;
  }
};

template <class E> long workspace(long rows, long C) {
  return Columns(1, rows, C).partials() * long(sizeof(Slopes<E>));
}

template <class E> void layer_norm_backward(const NormRowsBackward<E>& s, void* workspace) {
  NormRowsBackward<E> rows = s;
  if (s.centre == Centre::none) rows.mean = nullptr;
  if (s.dx) for_rows("layer_norm", s.rows, threads_for(s.C), NormBackward<E>{rows});
  if (s.dweight || s.dbias)
    sum_columns<Slopes<E>>("layer_norm", Columns(1, s.rows, s.C), SlopesOfRow<E>{{rows}},
                           StoreSlopes<E>{s.dweight, s.dbias}, workspace);
}

const OnCuda layer_norms{[]<class E>(auto set) {
  set(kernels::layer_norm<E>, layer_norm<E>);
  set(kernels::layer_norm_backward<E>, layer_norm_backward<E>);
  set(kernels::layer_norm_workspace_bytes<E>, workspace<E>);
}};

}  // namespace
}  // namespace heed::cuda
