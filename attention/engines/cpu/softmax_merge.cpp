// Parts of one attention become the whole, row by row (softmax_engine.h): a row is one query of one head of one sample.
// Its weights w_r are made from the R logarithms, on the stack; backward makes them again.
#include <cmath>
#include <limits>

#include "attention/engines/softmax_kernels.h"
#include "tensor/cpu/simd.h"
#include "tensor/cpu/walk.h"

namespace heed {
namespace {

using kernels::MergeGradients;
using kernels::MergePart;
using kernels::MergeParts;
using kernels::MergeSizes;

// Weights (R) of the logarithms at row `at`; returns L. A part of -infinity has weight 0; NaN makes all of them NaN.
template <class E> E weights_of(E* w, const MergePart<E>* parts, long R, long at) {
  constexpr E nothing = -std::numeric_limits<E>::infinity();
  E top = nothing, sum = 0;
  for (long r = 0; r < R; r++)
    if (!(parts[r].L[at] <= top)) top = parts[r].L[at];
  for (long r = 0; r < R; r++) sum += w[r] = top == nothing ? E(0) : std::exp(parts[r].L[at] - top);
  for (long r = 0; r < R; r++) w[r] = sum == 0 ? E(0) : w[r] / sum;
  return sum == 0 ? nothing : top + std::log(sum);
}

// f(b, h, t, number of the row in (B, H, T)) for all rows; those of a token side by side, as o lies in memory.
template <class F> void for_rows(const MergeSizes& z, F&& f) {
  parallel_for(z.B * z.T * z.H, rows_grain(z.R * z.Dv), [&](long begin, long end) {
    for (long row = begin; row < end; row++) {
      const long h = row % z.H, t = row / z.H % z.T, b = row / z.H / z.T;
      f(b, h, t, (b * z.H + h) * z.T + t);
    }
  });
}

template <class E> void merge_cpu(E* o, E* L, const MergeParts<E>& all, const MergeSizes& z) {
  const MergePart<E>* parts = all.of;
  for_rows(z, [&](long b, long h, long t, long at) {
    E w[kMostMergedParts], *row = o + ((b * z.T + t) * z.H + h) * z.Dv;
    L[at] = weights_of(w, parts, z.R, at);
    std::fill_n(row, z.Dv, E(0));
    for (long r = 0; r < z.R; r++) {
      if (w[r] == 0) continue;  // it saw nothing
      const E* from = parts[r].o + parts[r].at(b, h, t);
      for_vectors<E>(z.Dv, [&](long c, auto n) {
        (Vec<E>::load(row + c, n) + Vec<E>(w[r]) * Vec<E>::load(from + c, n)).store(row + c, n);
      });
    }
  });
}

// do_r = w_r dy,   dL_r = w_r (<dy, o_r> - sum_s w_s <dy, o_s> + dL)
template <class E>
void merge_backward_cpu(const MergeGradients<E>& gradients, const E* dy, const E* dL, const MergeParts<E>& all,
                        const MergeSizes& z) {
  const auto* grads = gradients.of;
  const MergePart<E>* parts = all.of;
  for_rows(z, [&](long b, long h, long t, long at) {
    E w[kMostMergedParts], product[kMostMergedParts], mean = 0;
    const long place = ((b * z.T + t) * z.H + h) * z.Dv;
    weights_of(w, parts, z.R, at);
    for (long r = 0; r < z.R; r++) {
      const E* from = parts[r].o + parts[r].at(b, h, t);
      const auto both = [&](long c, long n) { return Vec<E>::load(dy + place + c, n) * Vec<E>::load(from + c, n); };
      product[r] = w[r] == 0 ? E(0) : sum_vectors<E>(z.Dv, both);
      mean += w[r] * product[r];
    }
    for (long r = 0; r < z.R; r++) {
      for_vectors<E>(z.Dv, [&](long c, auto n) {
        (Vec<E>(w[r]) * Vec<E>::load(dy + place + c, n)).store(grads[r].dy + place + c, n);
      });
      grads[r].dL[at] = w[r] == 0 ? E(0) : w[r] * (product[r] - mean + (dL ? dL[at] : E(0)));
    }
  });
}

const OnCpu merge{[]<class E>(auto set) {
  set(kernels::softmax_merge<E>, merge_cpu<E>);
  set(kernels::softmax_merge_backward<E>, merge_backward_cpu<E>);
}};

}  // namespace
}  // namespace heed
