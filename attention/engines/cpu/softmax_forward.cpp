#include "attention/engines/cpu/softmax_few.h"
#include "attention/engines/cpu/softmax_tile.h"

namespace heed {
namespace {

// One tile of keys of the online softmax: s (count, 64) becomes p = 2^(s - top), and top, sum (64) go on. True if the
// maximum of a lane grew: then `factor` (64) is what everything collected before must be multiplied by. Each lane
// decides for itself, so that a query never depends on its neighbours, not even in the last bit.
template <class E> bool softmax_tile(E* s, long count, E* top, E* sum, E* factor) {
  using V = Vec<E>;
  constexpr long kLanes = V::kLanes, G = std::min(4L, kTile / kLanes);  // vectors at a time
  const V nothing(-std::numeric_limits<E>::infinity());
  bool moved = false;
  for (long x = 0; x < kTile; x += G * kLanes) {
    V most[G], reference[G], total[G];
    for (long g = 0; g < G; g++) most[g] = V::load(top + x + g * kLanes);
    for (long r = 0; r < count; r++)
      for (long g = 0; g < G; g++) most[g] = max(V::load(s + r * kTile + x + g * kLanes), most[g]);
    for (long g = 0; g < G; g++) {
      const long at = x + g * kLanes;
      const V before = V::load(top + at);
      reference[g] = select(most[g] == nothing, V(E(0)), most[g]);   // nothing seen yet: 2^(-inf - 0) is 0
      const V change = maths::exp2_negative(before - reference[g]);  // 1 where nothing moved
      for (long i = 0; i < kLanes; i++) moved |= most[g].raw[i] > before.raw[i];
      change.store(factor + at);
      most[g].store(top + at);
      total[g] = V::load(sum + at) * change;
    }
    for (long r = 0; r < count; r++)
      for (long g = 0; g < G; g++) {
        E* place = s + r * kTile + x + g * kLanes;
        const V p = maths::exp2_negative(V::load(place) - reference[g]);
        total[g] = total[g] + p;
        p.store(place);
      }
    for (long g = 0; g < G; g++) total[g].store(sum + x + g * kLanes);
  }
  return moved;
}

template <class E> void multiply(E* x, const E* factor, long rows) {  // x (rows, 64), factor (64)
  for (long r = 0; r < rows; r++)
    for (long i = 0; i < kTile; i++) x[r * kTile + i] *= factor[i];
}

template <class E> struct Forward {
  E *o, *L;
  const E *q, *k, *v, *by_distance, *by_query;
  const SoftmaxSizes& z;

  // One tile of queries of one head.
  void run(long b, long h, long tile) const {
    alignas(64) E transposed[kMostHeadChannels * kTile],
        collected[kMostHeadChannels * kTile];  // q^T (D, 64), o^T (Dv, 64)
    alignas(64) E s[kTile * kTile], keep[kTile * kTile], top[kTile], sum[kTile], factor[kTile];
    alignas(64) E own[kMostHeadChannels * kTile];  // rows that are gathered
    const Lanes<E> lanes(z, b, h, tile);
    const long hk = h / (z.H / z.Hk);
    const E *keys = k + b * z.k.b + hk * z.k.h, *values = v + b * z.v.b + hk * z.v.h;
    const Rows<E> queries = rows_at(lanes.places(), q + b * z.q.b + h * z.q.h, z.q.t, z.D, own);
    transpose_scaled(transposed, queries.data, queries.row, lanes.n, z.D, E(z.scale * kLog2e));
    std::fill_n(top, kTile, -std::numeric_limits<E>::infinity());
    std::fill_n(sum, kTile, E(0));
    std::fill_n(collected, z.Dv * kTile, E(0));
    lanes.for_key_tiles([&](const KeyTile& tile) {
      const Rows<E> rows = rows_at(tile, keys, z.k.t, z.D, own);
      gemm_tile<Into::store>(s, kTile, TileMatrix<E>{rows.data, rows.row, 1}, transposed, kTile, tile.count, kTile,
                             z.D);
      add_biases(s, by_distance, by_query, lanes, tile);
      const bool partial = !lanes.sees_all(tile);
      if (partial) lanes.hide(s, tile);
      if (softmax_tile(s, tile.count, top, sum, factor)) multiply(collected, factor, z.Dv);
      if (z.threshold) {
        draw_keep(keep, lanes, tile);
        for (long e = 0; e < tile.count * kTile; e++) s[e] *= keep[e];
      }
      collect(collected, s, values, tile, partial, own);
    });
    finish(b, h, lanes, collected, top, sum, factor);
  }

  // collected (Dv, 64) += v^T p. Where some pairs are hidden, values that are not finite go only to those who see them.
  void collect(E* collected, const E* p, const E* values, const KeyTile& tile, bool partial, E* own) const {
    Rows<E> rows = rows_at(tile, values, z.v.t, z.Dv, own);
    const bool harmful = partial && !all_finite(rows, tile.count, z.Dv);
    if (harmful) rows = finite_rows(rows, tile.count, z.Dv, own);
    gemm_tile<Into::add>(collected, kTile, TileMatrix<E>{rows.data, 1, rows.row}, p, kTile, z.Dv, kTile, tile.count);
    for (long r = 0; r < tile.count && harmful; r++) {
      const E* value = values + std::max(0L, tile.at(r)) * z.v.t;
      if (all_finite(Rows<E>{value, 0}, 1, z.Dv)) continue;
      for (long i = 0; i < kTile; i++)
        for (long c = 0; c < z.Dv && p[r * kTile + i] != 0; c++)
          collected[c * kTile + i] += p[r * kTile + i] * value[c];
    }
  }

  void finish(long b, long h, const Lanes<E>& lanes, E* collected, const E* top, const E* sum, E* factor) const {
    for (long i = 0; i < kTile; i++) factor[i] = sum[i] > 0 || sum[i] != sum[i] ? 1 / sum[i] : E(0);
    multiply(collected, factor, z.Dv);
    transpose_block(o + b * z.o.b + h * z.o.h + lanes.begin * z.o.t, z.o.t, collected, kTile, lanes.n, z.Dv);
    E* out = L + (b * z.H + h) * z.T + lanes.begin;
    for (long i = 0; i < lanes.n; i++)
      out[i] = sum[i] == 0 ? -std::numeric_limits<E>::infinity() : (top[i] + std::log2(sum[i])) * E(kLog2);
  }
};

template <class E>
void softmax_attention_cpu(E* o, E* L, const E* q, const E* k, const E* v, const E* by_distance, const E* by_query,
                           const SoftmaxSizes& z) {
  if (z.T <= kFewQueries && z.threshold == 0 && !z.query_index && !z.key_index) {
    parallel_for(z.B * z.H * z.T, rows_grain(2 * z.S * z.D), [&](long begin, long end) {
      for (long task = begin; task < end; task++)
        softmax_one_query(o, L, q, k, v, by_distance, by_query, z, task / z.T / z.H, task / z.T % z.H, task % z.T);
    });
    return;
  }
  const Forward<E> forward{o, L, q, k, v, by_distance, by_query, z};
  const long tiles = (z.T + kTile - 1) / kTile;
  parallel_for(z.B * z.H * tiles, 1, [&](long begin, long end) {
    for (long task = begin; task < end; task++) forward.run(task / tiles / z.H, task / tiles % z.H, task % tiles);
  });
}

const Registered forward_f32{kernels::softmax_attention<float>, Backend::cpu, softmax_attention_cpu<float>};
const Registered forward_f64{kernels::softmax_attention<double>, Backend::cpu, softmax_attention_cpu<double>};

}  // namespace
}  // namespace heed
