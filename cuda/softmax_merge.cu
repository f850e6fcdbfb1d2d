// Parts of one attention become the whole, row by row (softmax_engine.h): a row is one query of one head of one sample,
// and a warp has one. Its R weights are in shared memory; backward makes them again.
#include "attention/engines/softmax_kernels.h"
#include "cuda/reduce.cuh"
#include "cuda/walk.cuh"

namespace heed::cuda {
namespace {

using kernels::MergeGradients;
using kernels::MergeParts;
using kernels::MergeSizes;

constexpr int kRowsOfBlock = 4, kMergeThreads = 32 * kRowsOfBlock;
template <class E> constexpr E kSawNothing = -std::numeric_limits<E>::infinity();

// The row of this warp; rows of a token lie side by side, as those of o do
struct MergeRow {
  long b, h, t;
  long at;     // in (B, H, T)
  long place;  // of its first channel in (B, T, H, Dv)
  bool there;

  __device__ explicit MergeRow(const MergeSizes& z) {
    const long row = long(blockIdx.x) * kRowsOfBlock + threadIdx.x / 32;
    there = row < z.B * z.T * z.H;
    h = row % z.H, t = row / z.H % z.T, b = row / z.H / z.T;
    at = (b * z.H + h) * z.T + t, place = row * z.Dv;
  }
};

// Weights (R) of the logarithms of a row; returns L. A part of -infinity has weight 0; NaN makes all of them NaN.
template <class E> __device__ E weights_of(E* w, const MergeParts<E>& parts, const MergeRow& row, long R) {
  const int lane = int(threadIdx.x) % 32;
  E top = kSawNothing<E>, sum = 0;
  for (long r = lane; r < R; r += 32) top = Most()(parts.of[r].L[row.at], top);
  top = over_warp(top, Most());
  for (long r = lane; r < R; r += 32) sum += w[r] = top == kSawNothing<E> ? E(0) : exp(parts.of[r].L[row.at] - top);
  sum = over_warp(sum, Plus());
  for (long r = lane; r < R; r += 32) w[r] = sum == 0 ? E(0) : w[r] / sum;
  __syncwarp();
  return sum == 0 ? kSawNothing<E> : top + log(sum);
}

template <class E> __global__ void merge_kernel(E* o, E* L, const MergeParts<E> parts, const MergeSizes z) {
  HEED_SHARED(E, weights, kRowsOfBlock * kMostMergedParts);
  const MergeRow row(z);
  if (!row.there) return;  // the whole warp
  const int lane = int(threadIdx.x) % 32;
  E* w = weights + threadIdx.x / 32 * kMostMergedParts;
  const E log_sum = weights_of(w, parts, row, z.R);
  if (lane == 0) L[row.at] = log_sum;
  for (long c = lane; c < z.Dv; c += 32) {
    E sum = 0;
    for (long r = 0; r < z.R; r++)
      if (w[r] != 0) sum += w[r] * parts.of[r].o[parts.of[r].at(row.b, row.h, row.t) + c];  // 0: it saw nothing
    o[row.place + c] = sum;
  }
}

// do_r = w_r dy,   dL_r = w_r (<dy, o_r> - sum_s w_s <dy, o_s> + dL)
template <class E>
__global__ void merge_backward_kernel(const MergeGradients<E> grads, const E* dy, const E* dL,
                                      const MergeParts<E> parts, const MergeSizes z) {
  HEED_SHARED(E, weights, kRowsOfBlock * kMostMergedParts);
  HEED_SHARED(E, products, kRowsOfBlock * kMostMergedParts);
  const MergeRow row(z);
  if (!row.there) return;
  const int lane = int(threadIdx.x) % 32;
  E *w = weights + threadIdx.x / 32 * kMostMergedParts, *product = products + threadIdx.x / 32 * kMostMergedParts;
  weights_of(w, parts, row, z.R);
  const E* d = dy + row.place;
  E mean = 0;
  for (long r = 0; r < z.R; r++) {
    const E* from = parts.of[r].o + parts.of[r].at(row.b, row.h, row.t);
    E sum = 0;
    for (long c = lane; w[r] != 0 && c < z.Dv; c += 32) sum += d[c] * from[c];
    sum = over_warp(sum, Plus());
    mean += w[r] * sum;
    if (lane == 0) product[r] = sum;
  }
  __syncwarp();
  for (long r = 0; r < z.R; r++) {
    for (long c = lane; c < z.Dv; c += 32) grads.of[r].dy[row.place + c] = w[r] * d[c];
    if (lane == 0) grads.of[r].dL[row.at] = w[r] == 0 ? E(0) : w[r] * (product[r] - mean + (dL ? dL[row.at] : E(0)));
  }
}

Grid grid(const MergeSizes& z) { return {ceil_div(z.B * z.T * z.H, kRowsOfBlock), kMergeThreads}; }

template <class E> void merge(E* o, E* L, const MergeParts<E>& parts, const MergeSizes& z) {
  launch("merge", merge_kernel<E>, grid(z), o, L, parts, z);
}

template <class E>
void merge_backward(const MergeGradients<E>& grads, const E* dy, const E* dL, const MergeParts<E>& parts,
                    const MergeSizes& z) {
  launch("merge", merge_backward_kernel<E>, grid(z), grads, dy, dL, parts, z);
}

const OnCuda merging{[]<class E>(auto set) {
  set(kernels::softmax_merge<E>, merge<E>);
  set(kernels::softmax_merge_backward<E>, merge_backward<E>);
}};

}  // namespace
}  // namespace heed::cuda
