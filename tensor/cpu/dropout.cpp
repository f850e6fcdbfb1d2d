// Dropout without a mask in memory: x is kept and scaled, or zeroed, by the same random draws that keep_mask makes. It
// is its own gradient: backward draws again.
#include "tensor/ops/dropout.h"

#include "tensor/cpu/keep_draws.h"
#include "tensor/cpu/walk.h"

namespace heed {
namespace {

// y, x, draws (n)
template <class E> void dropout_run(E* y, const E* x, const uint16_t* draws, long n, int threshold, E scale) {
  for (long i = 0; i < n; i++) {
    const E kept = x[i] * scale;
    y[i] = draws[i] >= threshold ? kept : E(0);
  }
}

// y, x (samples, tokens, channels): draws exactly what keep_mask draws.
template <class E> void dropout_cpu(E* y, const E* x, const KeepDraws& s, E scale) {
  parallel_for(s.samples * s.tokens, rows_grain(s.channels, 2), [&](long begin, long end) {
    for_keep_draws(s, begin, end, [&](long at, const uint16_t* draws, long n) {
      dropout_run(y + at, x + at, draws, n, int(s.threshold), scale);
    });
  });
}

const OnCpu dropout{[]<class E>(auto set) { set(kernels::dropout<E>, dropout_cpu<E>); }};

}  // namespace
}  // namespace heed
