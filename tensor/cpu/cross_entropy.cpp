// Losses and their gradient in one pass over the logits: the exponentials are needed for both.
#include "tensor/ops/cross_entropy.h"

#include <cmath>

#include "tensor/cpu/simd.h"
#include "tensor/cpu/walk.h"

namespace heed {
namespace {

using kernels::CrossEntropySizes;

// log sum exp(x) - sum_v q_v x_v with q = (1 - s) one_hot(target) + s / V; x (V), and where e (V) is not null e = exp(x
// - top). Gives back the sum of the exponentials, too.
template <class E> struct RowLoss { E loss, total; };

template <class E> RowLoss<E> loss_of(E* e, const E* x, long target, long V, E s) {
  constexpr E nothing = -std::numeric_limits<E>::infinity();
  const E top = max_vectors(x, V);
  const E total = sum_vectors<E>(V, [&](long i, auto n) {
    const Vec<E> value = maths::exp_negative(Vec<E>::load(x + i, n, nothing) - top);
    if (e) value.store(e + i, n);
    return value;
  });
  const E hit = std::log(total) + (top - x[target]);
  if (s == 0) return {hit, total};  // a class that is -inf must not become 0 * inf
  const E below = sum_vectors<E>(V, [&](long i, auto n) { return top - Vec<E>::load(x + i, n, top); });
  return {(1 - s) * hit + s * (std::log(total) + below / E(V)), total};
}

// losses (rows), logits (rows, V), targets (rows); dlogits (rows, V) = scale * (softmax(x) - q), or null
template <class E>
void cross_entropy_rows_cpu(E* losses, E* dlogits, const E* logits, const int64_t* targets,
                            const CrossEntropySizes& s) {
  const E smoothing = E(s.smoothing), scale = E(s.scale), spread = scale * smoothing / E(s.V);
  parallel_for(s.rows, rows_grain(s.V, 4), [&](long begin, long end) {
    for (long i = begin; i < end; i++) {
      E* dx = dlogits ? dlogits + i * s.V : nullptr;
      if (targets[i] < 0) {
        losses[i] = 0;
        if (dx) std::fill_n(dx, s.V, E(0));
        continue;
      }
      const RowLoss<E> row = loss_of(dx, logits + i * s.V, targets[i], s.V, smoothing);
      losses[i] = row.loss;
      if (!dx) continue;
      const E factor = scale / row.total;
      for (long j = 0; j < s.V; j++) dx[j] = dx[j] * factor - spread;
      dx[targets[i]] -= scale * (1 - smoothing);
    }
  });
}

const OnCpu cross_entropy{[]<class E>(auto set) { set(kernels::cross_entropy_rows<E>, cross_entropy_rows_cpu<E>); }};

}  // namespace
}  // namespace heed
