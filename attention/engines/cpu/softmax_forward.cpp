// The forward pass, tile by tile: the online softmax of attention/engines/online_softmax.cpp for 64 queries and 64 keys
// at a time. For a tile of queries every tile of keys that they see is taken once, in rising order:
//
//   s    = k q^T scale + bias         (count, 64)   one matrix product; -infinity where a pair is hidden
//   top' = max(top, max_r s_r)        (64)          the running maximum
//   p    = exp(s - top')              (count, 64)   at most 1: nothing can overflow
//   sum  = sum a + sum_r p_r          (64)          a = exp(top - top') corrects what the smaller maximum had scaled;
//   o    = o a + v^T p                (Dv, 64)      it is 1 for most tiles, and then o is not touched
//
// and at the end o /= sum, L = top + log(sum). All of this stays in the processor's cache: for 64 channels in f32 q, s
// and o are 16 KB each. The (T, S) matrix never exists; what is written is o and L, O(T). Backward makes the weights
// again from L.
//
// A task is one tile of queries of one head. It alone writes these rows of o and L, in an order that does not depend on
// the threads: the same bits for any number of them.
#include "attention/engines/cpu/softmax_few.h"
#include "attention/engines/cpu/softmax_tile.h"
#include "system/ceil_div.h"

namespace heed {
namespace {

// One tile of keys of the online softmax, G vectors of lanes of it: s (rows, 64) becomes p = 2^(s - top), and top, sum
// go on. True if the maximum of a lane grew: then `factor` is what everything collected before must be multiplied by.
// Each lane decides for itself, so that a query never depends on its neighbours, not even in the last bit.
template <long G, class E> bool softmax_lanes(E* s, long rows, E* top, E* sum, E* factor) {
  using V = Vec<E>;
  constexpr long kLanes = V::kLanes;
  const V nothing(-std::numeric_limits<E>::infinity());
  bool moved = false;
  V most[G], reference[G], total[G];
  for (long g = 0; g < G; g++) most[g] = V::load(top + g * kLanes);
  for (long r = 0; r < rows; r++)
    for (long g = 0; g < G; g++) most[g] = max(V::load(s + r * kTile + g * kLanes), most[g]);
  for (long g = 0; g < G; g++) {
    const long at = g * kLanes;
    const V before = V::load(top + at);
    reference[g] = select(most[g] == nothing, V(E(0)), most[g]);   // nothing seen yet: 2^(-inf - 0) is 0
    const V change = maths::exp2_negative(before - reference[g]);  // 1 where nothing moved
    for (long i = 0; i < kLanes; i++) moved |= most[g].raw[i] > before.raw[i];
    change.store(factor + at);
    most[g].store(top + at);
    total[g] = V::load(sum + at) * change;
  }
  for (long r = 0; r < rows; r++)
    for (long g = 0; g < G; g++) {
      E* place = s + r * kTile + g * kLanes;
      const V p = maths::exp2_negative(V::load(place) - reference[g]);
      total[g] = total[g] + p;
      p.store(place);
    }
  for (long g = 0; g < G; g++) total[g].store(sum + g * kLanes);
  return moved;
}

// The same for all lanes of a part; s (count, 64), the others (64).
template <class E> bool softmax_part(E* s, const TilePart& part, E* top, E* sum, E* factor) {
  constexpr long kLanes = Vec<E>::kLanes, kMost = std::min(4L, kTile / kLanes), kFew = std::min(2L, kMost);
  bool moved = false;
  long x = part.lane;
  for (; x + kMost * kLanes <= part.behind(); x += kMost * kLanes)
    moved |= softmax_lanes<kMost>(s + part.row * kTile + x, part.rows, top + x, sum + x, factor + x);
  for (; x < part.behind(); x += kFew * kLanes)
    moved |= softmax_lanes<kFew>(s + part.row * kTile + x, part.rows, top + x, sum + x, factor + x);
  return moved;
}

// x (rows, 64) *= factor (64), in the first lanes
template <class E> void multiply(E* x, const E* factor, long rows, long lanes) {
  for (long r = 0; r < rows; r++)
    for (long i = 0; i < lanes; i++) x[r * kTile + i] *= factor[i];
}

template <class E> struct Forward {
  E *o, *L;  // (B, H, T, Dv) by its strides, (B, H, T)
  const SoftmaxOperands<E>& in;
  const SoftmaxProblem& p;

  // One tile of queries of one head.
  void run(long b, long h, long number) const {
    alignas(64) E transposed[kMostHeadChannels * kTile];  // q^T (D, 64)
    alignas(64) E collected[kMostHeadChannels * kTile];   // o^T (Dv, 64)
    alignas(64) E s[kTile * kTile], keep[kTile * kTile];  // (count, 64)
    alignas(64) E top[kTile], sum[kTile], factor[kTile];  // (64)
    alignas(64) E own[kMostHeadChannels * kTile];         // rows that are gathered
    const SoftmaxSizes& z = p.sizes;
    const Lanes<E> lanes(p, b, h, number);
    const long hk = h / (z.H / z.Hk);
    const E *keys = in.k + b * p.stride.k.b + hk * p.stride.k.h, *values = in.v + b * p.stride.v.b + hk * p.stride.v.h;
    const E* query = in.q + b * p.stride.q.b + h * p.stride.q.h;
    const Rows<E> queries = rows_at(lanes.rows(), query, p.stride.q.t, z.D, own);
    transpose_scaled(transposed, queries.data, queries.row, lanes.n, z.D, E(p.scale * kLog2e));
    std::fill_n(top, kTile, -std::numeric_limits<E>::infinity());
    std::fill_n(sum, kTile, E(0));
    std::fill_n(collected, z.Dv * kTile, E(0));
    lanes.for_key_tiles([&](const KeyTile& tile) {
      const Rows<E> rows = rows_at(tile, keys, p.stride.k.t, z.D, own);
      const bool partial = !lanes.sees_all(tile), biased = in.by_distance || in.by_query;
      const TileParts parts = lanes.parts(tile, !partial || biased);
      if (p.keep.threshold) draw_keep(keep, lanes, tile);
      for (const TilePart& part : parts) {
        part_scores(s, part, rows, transposed, z.D);
        if (biased) add_biases(s, in, lanes, tile);
        if (partial) lanes.hide(s, tile, part);
        if (softmax_part(s, part, top, sum, factor))
          multiply(collected + part.lane, factor + part.lane, z.Dv, part.lanes);
        if (p.keep.threshold)
          for (long r = part.row; r < part.below(); r++)
            for (long e = r * kTile + part.lane; e < r * kTile + part.behind(); e++) s[e] *= keep[e];
      }
      collect(collected, s, values, tile, partial ? &parts : nullptr, own);
    });
    finish(lanes, collected, top, sum, factor);
  }

  // collected (Dv, 64) += v^T weights (count, 64). Where some pairs are hidden (`partial`: the others), values that are
  // not finite go only to those who see them.
  void collect(E* collected, const E* weights, const E* values, const KeyTile& tile, const TileParts* partial,
               E* own) const {
    const long Dv = p.sizes.Dv, value_row = p.stride.v.t;
    Rows<E> rows = rows_at(tile, values, value_row, Dv, own);
    if (!partial) return part_sums(collected, {0, tile.count, 0, kTile}, rows, weights, Dv);
    const bool harmful = !all_finite(rows, tile.count, Dv);
    if (harmful) rows = finite_rows(rows, tile.count, Dv, own);
    for (const TilePart& part : *partial) {
      part_sums(collected, part, rows, weights, Dv);
      for (long r = part.row; r < part.below() && harmful; r++) {
        const E *value = values + std::max(0L, tile.at(r)) * value_row, *weight = weights + r * kTile;
        if (all_finite(Rows<E>{value, 0}, 1, Dv)) continue;
        for (long i = part.lane; i < part.behind(); i++)
          for (long c = 0; c < Dv && weight[i] != 0; c++) collected[c * kTile + i] += weight[i] * value[c];
      }
    }
  }

  // o = collected / sum, L = log(sum) + top; a query that saw nothing gets o = 0 and L = -infinity.
  void finish(const Lanes<E>& lanes, E* collected, const E* top, const E* sum, E* factor) const {
    const auto [b, h, t] = p.stride.o;
    for (long i = 0; i < kTile; i++) factor[i] = sum[i] > 0 || sum[i] != sum[i] ? 1 / sum[i] : E(0);
    multiply(collected, factor, p.sizes.Dv, kTile);
    transpose_block(o + lanes.b * b + lanes.h * h + lanes.begin * t, t, collected, kTile, lanes.n, p.sizes.Dv);
    E* out = L + (lanes.b * p.sizes.H + lanes.h) * p.sizes.T + lanes.begin;
    for (long i = 0; i < lanes.n; i++)
      out[i] = sum[i] == 0 ? -std::numeric_limits<E>::infinity() : (top[i] + std::log2(sum[i])) * E(kLog2);
  }
};

template <class E> void softmax_attention_cpu(E* o, E* L, const SoftmaxOperands<E>& in, const SoftmaxProblem& p) {
  if (is_for_few_queries(p)) return softmax_few_queries(o, L, in, p);
  const Forward<E> forward{o, L, in, p};
  const long H = p.sizes.H, tiles = ceil_div(p.sizes.T, kTile);
  parallel_for(p.sizes.B * H * tiles, 1, [&](long begin, long end) {
    for (long task = begin; task < end; task++) forward.run(task / tiles / H, task / tiles % H, task % tiles);
  });
}

const OnCpu forward{[]<class E>(auto set) { set(kernels::softmax_attention<E>, softmax_attention_cpu<E>); }};

}  // namespace
}  // namespace heed
