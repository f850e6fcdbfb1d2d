#include "tensor/cross_entropy.h"

#include <cmath>

#include "tensor/cpu/lane_sum.h"
#include "tensor/cpu/walk.h"

namespace heed {
namespace {

using kernels::CrossEntropySizes;

template <class T> T row_max(const T* x, long V) {
  T top = x[0];
  for (long j = 1; j < V; j++) top = x[j] > top ? x[j] : top;
  return top;
}

// log sum exp(x) - sum_v q_v x_v with q = (1 - s) one_hot(target) + s / V; x (V)
template <class T> T loss_of(const T* x, long target, long V, T s) {
  const T top = row_max(x, V), total = lane_sum<T>(V, [&](long j) { return std::exp(x[j] - top); });
  const T hit = std::log(total) + (top - x[target]);
  if (s == 0) return hit;  // a class that is -inf must not become 0 * inf
  const T below = lane_sum<T>(V, [&](long j) { return top - x[j]; });
  return (1 - s) * hit + s * (std::log(total) + below / T(V));
}

// losses (rows), logits (rows, V), targets (rows)
template <class T>
void cross_entropy_rows_cpu(T* losses, const T* logits, const int64_t* targets, const CrossEntropySizes& s) {
  parallel_for(s.rows, rows_grain(s.V, 4), [&](long begin, long end) {
    for (long i = begin; i < end; i++)
      losses[i] = targets[i] < 0 ? T(0) : loss_of(logits + i * s.V, targets[i], s.V, T(s.smoothing));
  });
}

// dx = scale * (softmax(x) - q); dx, x (V)
template <class T> void loss_backward(T* dx, const T* x, long target, long V, T s, T scale) {
  const T top = row_max(x, V), total = lane_sum<T>(V, [&](long j) { return dx[j] = std::exp(x[j] - top); });
  const T spread = scale * s / T(V);
  for (long j = 0; j < V; j++) dx[j] = dx[j] * (scale / total) - spread;
  dx[target] -= scale * (1 - s);
}

// dlogits, logits (rows, V), scale (rows) or (1) with a step of 0, targets (rows)
template <class T>
void cross_entropy_rows_backward_cpu(T* dlogits, const T* scale, long scale_step, const T* logits,
                                     const int64_t* targets, const CrossEntropySizes& s) {
  parallel_for(s.rows, rows_grain(s.V, 4), [&](long begin, long end) {
    for (long i = begin; i < end; i++) {
      T* dx = dlogits + i * s.V;
      if (targets[i] < 0)
        std::fill_n(dx, s.V, T(0));
      else
        loss_backward(dx, logits + i * s.V, targets[i], s.V, T(s.smoothing), scale[i * scale_step]);
    }
  });
}

template <class T> void register_all() {
  kernels::cross_entropy_rows<T>.set(Backend::cpu, cross_entropy_rows_cpu<T>);
  kernels::cross_entropy_rows_backward<T>.set(Backend::cpu, cross_entropy_rows_backward_cpu<T>);
}

const bool registered = (register_all<float>(), register_all<double>(), true);

}  // namespace
}  // namespace heed
