#include "tensor/gather.h"

#include "tensor/cpu/walk.h"

namespace heed {
namespace {

// One (outer, inner) column after the other; columns are independent, so the order of additions is fixed.
template <class Body> void for_columns(const GatherSizes& s, Body&& body) {
  parallel_for(s.outer * s.inner, std::max(1L, kElementGrain / std::max(1L, s.picked)), [&](long begin, long end) {
    for (long column = begin; column < end; column++) {
      long outer = column / s.inner, inner = column % s.inner;
      body((outer * s.from) * s.inner + inner, (outer * s.picked) * s.inner + inner);
    }
  });
}

// x (outer, from, inner); y, indices (outer, picked, inner)
template <class T> void gather_cpu(T* y, const T* x, const int64_t* indices, const GatherSizes& s) {
  for_columns(s, [&](long in, long out) {
    for (long r = 0; r < s.picked; r++) y[out + r * s.inner] = x[in + indices[out + r * s.inner] * s.inner];
  });
}

template <class T> void scatter_add_cpu(T* dx, const T* dy, const int64_t* indices, const GatherSizes& s) {
  for_columns(s, [&](long in, long out) {
    for (long r = 0; r < s.picked; r++) dx[in + indices[out + r * s.inner] * s.inner] += dy[out + r * s.inner];
  });
}

const Registered gather_f32{kernels::gather<float>, Backend::cpu, gather_cpu<float>};
const Registered gather_f64{kernels::gather<double>, Backend::cpu, gather_cpu<double>};
const Registered scatter_f32{kernels::scatter_add<float>, Backend::cpu, scatter_add_cpu<float>};
const Registered scatter_f64{kernels::scatter_add<double>, Backend::cpu, scatter_add_cpu<double>};

}  // namespace
}  // namespace heed
