#include "tensor/cross_entropy.h"

#include <cmath>

#include "tensor/cpu/walk.h"

namespace heed {
namespace {

template <class T> T row_max(const T* x, long V) {
  T top = x[0];
  for (long j = 1; j < V; j++) top = x[j] > top ? x[j] : top;
  return top;
}

// losses (rows), logits (rows, V), targets (rows)
template <class T> void cross_entropy_rows_cpu(T* losses, const T* logits, const int64_t* targets, long rows, long V) {
  parallel_for(rows, std::max(1L, kElementGrain / 4 / V), [&](long begin, long end) {
    for (long i = begin; i < end; i++) {
      const T* x = logits + i * V;
      T top = row_max(x, V), total = 0;
      for (long j = 0; j < V; j++) total += std::exp(x[j] - top);
      losses[i] = std::log(total) + (top - x[targets[i]]);
    }
  });
}

// dlogits, logits (rows, V), scale (1), targets (rows)
template <class T>
void cross_entropy_rows_backward_cpu(T* dlogits, const T* scale, const T* logits, const int64_t* targets, long rows,
                                     long V) {
  parallel_for(rows, std::max(1L, kElementGrain / 4 / std::max(1L, V)), [&](long begin, long end) {
    for (long i = begin; i < end; i++) {
      const T* x = logits + i * V;
      T *dx = dlogits + i * V, top = row_max(x, V), total = 0;
      for (long j = 0; j < V; j++) total += dx[j] = std::exp(x[j] - top);
      const T each = *scale / T(rows);
      for (long j = 0; j < V; j++) dx[j] *= each / total;
      dx[targets[i]] -= each;
    }
  });
}

const Registered forward_f32{kernels::cross_entropy_rows<float>, Backend::cpu, cross_entropy_rows_cpu<float>};
const Registered forward_f64{kernels::cross_entropy_rows<double>, Backend::cpu, cross_entropy_rows_cpu<double>};
const Registered backward_f32{kernels::cross_entropy_rows_backward<float>, Backend::cpu,
                              cross_entropy_rows_backward_cpu<float>};
const Registered backward_f64{kernels::cross_entropy_rows_backward<double>, Backend::cpu,
                              cross_entropy_rows_backward_cpu<double>};

}  // namespace
}  // namespace heed
