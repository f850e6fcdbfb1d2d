// One pass over the tiles, row by row: the weights are computed again from L, then
//
//   delta_i = <do_i, o_i> - dL_i,   ds_ij = p_ij (<do_i, v_j> - delta_i)
//   dv_j += p_ij do_i,   dq_i += ds_ij k_j,   dk_j += ds_ij q_i
//
// A task is one head of k and v with all the queries that use it, and owns its dk and dv: no two tasks write to one
// place, and the order of additions is fixed. Where there are too few heads to keep the threads busy the queries of a
// head are cut into stripes (by the shape only), each with its own dk and dv, which are added up at the end.
#include "attention/engines/cpu/softmax_tile.h"
#include "tensor/cpu/walk.h"

namespace heed {
namespace {

using kernels::SoftmaxGradients;
using kernels::SoftmaxSaved;

long tiles_of(const SoftmaxSizes& z) { return (z.T + kTile - 1) / kTile; }
long stripes_of(const SoftmaxSizes& z) {
  constexpr long kTasks = 8;
  return std::clamp(kTasks / std::max(1L, z.B * z.Hk), 1L, std::max(1L, tiles_of(z) * (z.H / z.Hk) / 4));
}
// Channels of rows that vectors run along, rounded up to whole vectors.
template <class E> long padded(long channels) {
  return (channels + Vec<E>::kLanes - 1) / Vec<E>::kLanes * Vec<E>::kLanes;
}

// May a task add up dk and dv where they belong? If it is the only one for its head, and rows are whole vectors.
template <class E> bool in_place(const SoftmaxSizes& z) {
  return stripes_of(z) == 1 && z.dk.t == padded<E>(z.D) && z.dv.t == padded<E>(z.Dv);
}

// What one stripe adds up, by tokens: dk (S, padded D), dv (S, padded Dv), dby_distance (groups, T + S - 1)
template <class E> struct Parts {
  E *dk, *dv, *dby_distance;

  static long numel(const SoftmaxSizes& z) {  // in the workspace
    return (in_place<E>(z) ? 0 : z.key_tokens * (padded<E>(z.D) + padded<E>(z.Dv))) + z.H / z.Hk * distances_of(z);
  }
  Parts(const SoftmaxGradients<E>& grads, void* workspace, const SoftmaxSizes& z, long task) {
    E* own = static_cast<E*>(workspace) + task * numel(z);
    const long head = task / stripes_of(z), b = head / z.Hk, hk = head % z.Hk;
    dby_distance = own, own += z.H / z.Hk * distances_of(z);
    dk = in_place<E>(z) ? grads.dk + b * z.dk.b + hk * z.dk.h : own;
    dv = in_place<E>(z) ? grads.dv + b * z.dv.b + hk * z.dv.h : own + z.key_tokens * padded<E>(z.D);
  }
  void clear(const SoftmaxSizes& z) const {
    std::fill_n(dk, z.key_tokens * padded<E>(z.D), E(0));
    std::fill_n(dv, z.key_tokens * padded<E>(z.Dv), E(0));
    std::fill_n(dby_distance, z.H / z.Hk * distances_of(z), E(0));
  }
};

// s -> p = 2^(s - L), dp -> ds = p (keep dp - delta), and p -> keep p for dv; all (count, 64)
template <class E> void weights_and_gradients(E* s, E* dp, const E* keep, long count, const E* L, const E* delta) {
  using V = Vec<E>;
  for (long x = 0; x < kTile; x += V::kLanes) {
    const V log_sum = V::load(L + x), mean = V::load(delta + x);
    for (long r = 0; r < count; r++) {
      const long at = r * kTile + x;
      const V p = maths::exp2_negative(V::load(s + at) - log_sum), factor = keep ? V::load(keep + at) : V(E(1));
      (p * factor).store(s + at);
      (p * (V::load(dp + at) * factor - mean)).store(dp + at);
    }
  }
}

template <class E> struct Backward {
  const SoftmaxGradients<E>& grads;
  const E *dy, *dL;
  const SoftmaxSaved<E>& saved;
  const SoftmaxSizes& z;

  // to (n, padded C) = from (n, C), zeros behind
  static void copy_rows(E* to, const E* from, long from_row, long n, long C) {
    for (long i = 0; i < n; i++) {
      std::copy_n(from + i * from_row, C, to + i * padded<E>(C));
      std::fill_n(to + i * padded<E>(C) + C, padded<E>(C) - C, E(0));
    }
  }

  // One tile of queries of head h: everything it does to dq, and to the parts.
  void run(long b, long h, long tile, const Parts<E>& parts) const {
    constexpr long C = kMostHeadChannels;
    alignas(64) E transposed_q[C * kTile], transposed_dy[C * kTile], transposed_dq[C * kTile], own_q[C * kTile],
        own_dy[C * kTile];
    alignas(64) E s[kTile * kTile], dp[kTile * kTile], keep[kTile * kTile], L[kTile], delta[kTile];
    alignas(64) E own_k[C * kTile], own_v[C * kTile];  // rows that are gathered, then what is added to dk and dv
    const Lanes<E> lanes(z, b, h, tile);
    const long hk = h / (z.H / z.Hk);
    const E *keys = saved.k + b * z.k.b + hk * z.k.h, *values = saved.v + b * z.v.b + hk * z.v.h;
    const long o_at = b * z.o.b + h * z.o.h + lanes.begin * z.o.t;
    const Rows<E> queries = rows_at(lanes.places(), saved.q + b * z.q.b + h * z.q.h, z.q.t, z.D, own_k);
    transpose_scaled(transposed_q, queries.data, queries.row, lanes.n, z.D, E(z.scale * kLog2e));
    transpose_scaled(transposed_dy, dy + o_at, z.o.t, lanes.n, z.Dv, E(1));
    copy_rows(own_q, queries.data, queries.row, lanes.n, z.D);
    copy_rows(own_dy, dy + o_at, z.o.t, lanes.n, z.Dv);
    row_numbers(L, delta, own_dy, b, h, lanes);
    std::fill_n(transposed_dq, z.D * kTile, E(0));
    E* dby_distance = grads.dby_distance ? parts.dby_distance + h % (z.H / z.Hk) * distances_of(z) : nullptr;
    lanes.for_key_tiles([&](const KeyTile& tile) {
      const long count = tile.count;
      Rows<E> ks = rows_at(tile, keys, z.k.t, z.D, own_k), vs = rows_at(tile, values, z.v.t, z.Dv, own_v);
      gemm_tile<Into::store>(s, kTile, TileMatrix<E>{ks.data, ks.row, 1}, transposed_q, kTile, count, kTile, z.D);
      add_biases(s, saved.by_distance, saved.by_query, lanes, tile);
      if (!lanes.sees_all(tile)) {  // who saw a row that is not finite is not finite by L or delta already
        lanes.hide(s, tile);
        ks = finite_rows(ks, count, z.D, own_k), vs = finite_rows(vs, count, z.Dv, own_v);
      }
      gemm_tile<Into::store>(dp, kTile, TileMatrix<E>{vs.data, vs.row, 1}, transposed_dy, kTile, count, kTile, z.Dv);
      if (z.threshold) draw_keep(keep, lanes, tile);
      weights_and_gradients(s, dp, z.threshold ? keep : nullptr, count, L, delta);
      add_bias_gradients(dby_distance, grads.dby_query, dp, lanes, tile);
      gemm_tile<Into::add>(transposed_dq, kTile, TileMatrix<E>{ks.data, 1, ks.row}, dp, kTile, z.D, kTile, count);
      add_product(parts.dv, s, own_dy, padded<E>(z.Dv), tile, lanes.n, own_v);
      add_product(parts.dk, dp, own_q, padded<E>(z.D), tile, lanes.n, own_k);
    });
    for (long e = 0; e < z.D * kTile; e++) transposed_dq[e] *= E(z.scale);
    transpose_block(grads.dq + b * z.dq.b + h * z.dq.h + lanes.begin * z.dq.t, z.dq.t, transposed_dq, kTile, lanes.n,
                    z.D);
  }

  // to (tokens, C) at the tile's tokens += p (count, n) x (n, C); own (count, C)
  static void add_product(E* to, const E* p, const E* x, long C, const KeyTile& tile, long n, E* own) {
    const TileMatrix<E> left{p, kTile, 1};
    if (!tile.token) return gemm_tile<Into::add>(to + tile.begin * C, C, left, x, C, tile.count, C, n);
    gemm_tile<Into::store>(own, C, left, x, C, tile.count, C, n);
    for (long r = 0; r < tile.count; r++)
      if (tile.token[r] >= 0) add_row(to + tile.token[r] * C, own + r * C, C);
  }

  // L in units of log 2, +infinity where a query saw nothing (its weights are 0), and delta
  void row_numbers(E* L, E* delta, const E* own_dy, long b, long h, const Lanes<E>& lanes) const {
    const long at = (b * z.H + h) * z.T + lanes.begin;
    constexpr E inf = std::numeric_limits<E>::infinity();
    for (long i = 0; i < kTile; i++) {
      L[i] = i >= lanes.n || saved.L[at + i] == -inf ? inf : saved.L[at + i] * E(kLog2e);
      delta[i] = 0;
      if (i >= lanes.n) continue;
      const E *d = own_dy + i * padded<E>(z.Dv), *o = saved.o + b * z.o.b + h * z.o.h + (lanes.begin + i) * z.o.t;
      delta[i] = sum_vectors<E>(z.Dv, [&](long c, long n) { return Vec<E>::load(d + c, n) * Vec<E>::load(o + c, n); });
      if (dL && saved.L[at + i] != -inf) delta[i] -= dL[at + i];
    }
  }
};

template <class E> long workspace_cpu(const SoftmaxSizes& z) {
  return z.B * z.Hk * stripes_of(z) * Parts<E>::numel(z) * long(sizeof(E));
}

// The stripes' parts of one head of k and v, added up in their order; dk and dv go to their places.
template <class E> void collect(const SoftmaxGradients<E>& grads, void* workspace, const SoftmaxSizes& z, long head) {
  const long stripes = stripes_of(z), pd = padded<E>(z.D), pv = padded<E>(z.Dv), b = head / z.Hk, hk = head % z.Hk;
  const Parts<E> all(grads, workspace, z, head * stripes);
  for (long stripe = 1; stripe < stripes; stripe++) {
    const Parts<E> part(grads, workspace, z, head * stripes + stripe);
    add_row(all.dk, part.dk, z.key_tokens * pd);
    add_row(all.dv, part.dv, z.key_tokens * pv);
    add_row(all.dby_distance, part.dby_distance, z.H / z.Hk * distances_of(z));
  }
  for (long e = 0; e < z.key_tokens * pd; e++) all.dk[e] *= E(z.scale);
  for (long j = 0; j < z.key_tokens && !in_place<E>(z); j++) {
    std::copy_n(all.dk + j * pd, z.D, grads.dk + b * z.dk.b + hk * z.dk.h + j * z.dk.t);
    std::copy_n(all.dv + j * pv, z.Dv, grads.dv + b * z.dv.b + hk * z.dv.h + j * z.dv.t);
  }
}

template <class E>
void softmax_attention_backward_cpu(const SoftmaxGradients<E>& grads, const E* dy, const E* dL,
                                    const SoftmaxSaved<E>& saved, const SoftmaxSizes& z, void* workspace) {
  const Backward<E> backward{grads, dy, dL, saved, z};
  const long stripes = stripes_of(z), groups = z.H / z.Hk, tiles = tiles_of(z) * groups, distances = distances_of(z);
  parallel_for(z.B * z.Hk * stripes, 1, [&](long begin, long end) {
    for (long task = begin; task < end; task++) {
      const long head = task / stripes, stripe = task % stripes;
      const Parts<E> parts(grads, workspace, z, task);
      parts.clear(z);
      for (long t = tiles * stripe / stripes; t < tiles * (stripe + 1) / stripes; t++)
        backward.run(head / z.Hk, head % z.Hk * groups + t / tiles_of(z), t % tiles_of(z), parts);
    }
  });
  parallel_for(z.B * z.Hk, 1, [&](long begin, long end) {
    for (long head = begin; head < end; head++) collect(grads, workspace, z, head);
  });
  if (!grads.dby_distance) return;
  std::fill_n(grads.dby_distance, z.H * distances, E(0));
  for (long head = 0; head < z.B * z.Hk; head++)  // over all samples, in their order
    add_row(grads.dby_distance + head % z.Hk * groups * distances,
            Parts<E>(grads, workspace, z, head * stripes).dby_distance, groups * distances);
}

template <class E> void register_all() {
  kernels::softmax_attention_backward<E>.set(Backend::cpu, softmax_attention_backward_cpu<E>);
  kernels::softmax_attention_workspace<E>.set(Backend::cpu, workspace_cpu<E>);
}

const bool registered = (register_all<float>(), register_all<double>(), true);

}  // namespace
}  // namespace heed
