// The backward pass: over the same tiles as forward. Nothing of size (T, S) was kept: the weights are computed again,
// p_ij = exp(s_ij - L_i), at once as they finally are and without a running maximum, since L is known. Then
//
//   delta_i = <do_i, o_i> - dL_i,   ds_ij = p_ij (<do_i, v_j> - delta_i)
//   dv_j += p_ij do_i,   dq_i += scale ds_ij k_j,   dk_j += scale ds_ij q_i
//
// delta_i is sum_j p_ij dp_ij of softmax's gradient, taken from o instead of from all the keys. do is called dy below.
//
// A task is one head of k and v with all the queries that use it, or a stripe of them (softmax_parts.h), and owns its
// dk and dv: no two tasks write to one place, and the order of additions is fixed.
#include "attention/engines/cpu/softmax_parts.h"
#include "attention/engines/cpu/softmax_tile.h"
#include "tensor/cpu/walk.h"

namespace heed {
namespace {

using kernels::SoftmaxGradients;
using kernels::SoftmaxSaved;
using kernels::SoftmaxStrides;

// May a task add up dk and dv where they belong? If it is the only one for its head, and rows are whole vectors.
template <class E> bool in_place(const SoftmaxProblem& p) {
  const SoftmaxSizes& z = p.sizes;
  return Stripes(z).per_head == 1 && p.stride.dk.t == padded<E>(z.D) && p.stride.dv.t == padded<E>(z.Dv);
}

// What one task adds up: dk (S, padded D), dv (S, padded Dv), dby_distance (groups, distances), by tokens
template <class E> struct Parts {
  long dk_row, dv_row;  // elements of a row
  E *dk, *dv, *dby_distance;

  static long rows(const SoftmaxSizes& z) { return SeenBlocks::count(z) * kTile; }  // whole blocks
  static long numel(const SoftmaxProblem& p) {                                      // in the workspace
    const SoftmaxSizes& z = p.sizes;
    return (in_place<E>(p) ? 0 : rows(z) * (padded<E>(z.D) + padded<E>(z.Dv))) + z.H / z.Hk * p.distances;
  }
  Parts(const SoftmaxGradients<E>& grads, void* workspace, const SoftmaxProblem& p, long task)
      : dk_row(padded<E>(p.sizes.D)), dv_row(padded<E>(p.sizes.Dv)) {
    E* own = static_cast<E*>(workspace) + task * numel(p);
    const SoftmaxSizes& z = p.sizes;
    const long head = task / Stripes(z).per_head, b = head / z.Hk, hk = head % z.Hk;
    dk = in_place<E>(p) ? grads.dk + b * p.stride.dk.b + hk * p.stride.dk.h : own;
    dv = in_place<E>(p) ? grads.dv + b * p.stride.dv.b + hk * p.stride.dv.h : own + rows(z) * dk_row;
    dby_distance = in_place<E>(p) ? own : own + rows(z) * (dk_row + dv_row);
  }
  E* dk_at(long token) const { return dk + token * dk_row; }
  E* dv_at(long token) const { return dv + token * dv_row; }
};

// All that the task adds to begins at zero; in place all of it, elsewhere what it sees.
template <class E> void clear(const Parts<E>& parts, const SoftmaxProblem& p, const SeenBlocks& seen, long task) {
  const SoftmaxSizes& z = p.sizes;
  const bool all = in_place<E>(p);
  for (long block = 0; block < SeenBlocks::count(z); block++) {
    if (!all && !seen.sees(task, block)) continue;
    const long j = block * kTile, n = std::min(kTile, z.key_tokens - j);
    std::fill_n(parts.dk_at(j), n * parts.dk_row, E(0));
    std::fill_n(parts.dv_at(j), n * parts.dv_row, E(0));
  }
  std::fill_n(parts.dby_distance, z.H / z.Hk * p.distances, E(0));
}

// s -> p = 2^(s - L), dp -> ds = p (keep dp - delta), and p -> keep p for dv; all (count, 64), at the part
template <class E>
void weights_and_gradients(E* s, E* dp, const E* keep, const TilePart& part, const E* L, const E* delta) {
  using V = Vec<E>;
  for (long x = part.lane; x < part.behind(); x += V::kLanes) {
    const V log_sum = V::load(L + x), mean = V::load(delta + x);
    for (long r = part.row; r < part.below(); r++) {
      const long at = r * kTile + x;
      const V p = maths::exp2_negative(V::load(s + at) - log_sum), factor = keep ? V::load(keep + at) : V(E(1));
      (p * factor).store(s + at);
      (p * (V::load(dp + at) * factor - mean)).store(dp + at);
    }
  }
}

template <class E> struct Backward {
  const SoftmaxGradients<E>& grads;
  const E *dy, *dL;  // (B, H, T, Dv) by the strides of o, (B, H, T) or null
  const SoftmaxSaved<E>& saved;
  const SoftmaxProblem& p;

  // to (n, padded C) = from (n, C), zeros behind
  static void copy_rows(E* to, const E* from, long from_row, long n, long C) {
    for (long i = 0; i < n; i++) {
      std::copy_n(from + i * from_row, C, to + i * padded<E>(C));
      std::fill_n(to + i * padded<E>(C) + C, padded<E>(C) - C, E(0));
    }
  }

  // One tile of queries of head h: everything it does to dq, and to the parts.
  void run(long b, long h, long number, const Parts<E>& parts) const {
    constexpr long C = kMostHeadChannels;
    alignas(64) E transposed_q[C * kTile], transposed_dq[C * kTile], own_q[C * kTile];  // (D, 64), (D, 64), (64, D)
    alignas(64) E transposed_dy[C * kTile], own_dy[C * kTile];                          // (Dv, 64), (64, Dv)
    alignas(64) E s[kTile * kTile], dp[kTile * kTile], keep[kTile * kTile];             // (count, 64)
    alignas(64) E L[kTile], delta[kTile];                                               // (64)
    alignas(64) E own_k[C * kTile], own_v[C * kTile];  // rows that are gathered, then what is added to dk and dv
    const SoftmaxSizes& z = p.sizes;
    const SoftmaxStrides& stride = p.stride;
    const Lanes<E> lanes(p, b, h, number);
    const long hk = h / (z.H / z.Hk), o_at = b * stride.o.b + h * stride.o.h + lanes.begin * stride.o.t;
    const E *keys = saved.k + b * stride.k.b + hk * stride.k.h, *values = saved.v + b * stride.v.b + hk * stride.v.h;
    const E* query = saved.q + b * stride.q.b + h * stride.q.h;
    const Rows<E> queries = rows_at(lanes.rows(), query, stride.q.t, z.D, own_k);
    transpose_scaled(transposed_q, queries.data, queries.row, lanes.n, z.D, E(p.scale * kLog2e));
    transpose_scaled(transposed_dy, dy + o_at, stride.o.t, lanes.n, z.Dv, E(1));
    copy_rows(own_q, queries.data, queries.row, lanes.n, z.D);
    copy_rows(own_dy, dy + o_at, stride.o.t, lanes.n, z.Dv);
    row_numbers(L, delta, own_dy, saved.o + o_at, lanes);
    std::fill_n(transposed_dq, z.D * kTile, E(0));
    E* dby_distance = grads.dby_distance ? parts.dby_distance + h % (z.H / z.Hk) * p.distances : nullptr;
    lanes.for_key_tiles([&](const KeyTile& tile) {
      Rows<E> ks = rows_at(tile, keys, stride.k.t, z.D, own_k);
      Rows<E> vs = rows_at(tile, values, stride.v.t, z.Dv, own_v);
      const bool partial = !lanes.sees_all(tile), biased = saved.by_distance || saved.by_query;
      const TileParts seen = lanes.parts(tile, !partial || biased);
      for (const TilePart& part : seen) part_scores(s, part, ks, transposed_q, z.D);
      add_biases(s, saved, lanes, tile);
      if (partial) {  // who saw a row that is not finite is not finite by L or delta already
        for (const TilePart& part : seen) lanes.hide(s, tile, part);
        ks = finite_rows(ks, tile.count, z.D, own_k), vs = finite_rows(vs, tile.count, z.Dv, own_v);
      }
      if (p.keep.threshold) draw_keep(keep, lanes, tile);
      for (const TilePart& part : seen) {
        part_scores(dp, part, vs, transposed_dy, z.Dv);
        weights_and_gradients(s, dp, p.keep.threshold ? keep : nullptr, part, L, delta);
        part_sums(transposed_dq, part, ks, dp, z.D);
      }
      add_bias_gradients(dby_distance, grads.dby_query, dp, lanes, tile);
      for (const TilePart& part : seen) {  // what was gathered is needed no longer
        add_product(parts.dv, parts.dv_row, s, own_dy, {tile, part, lanes.n, own_v});
        add_product(parts.dk, parts.dk_row, dp, own_q, {tile, part, lanes.n, own_k});
      }
    });
    for (long e = 0; e < z.D * kTile; e++) transposed_dq[e] *= E(p.scale);
    E* dq = grads.dq + b * stride.dq.b + h * stride.dq.h + lanes.begin * stride.dq.t;
    transpose_block(dq, stride.dq.t, transposed_dq, kTile, lanes.n, z.D);
  }

  struct At {
    const KeyTile& tile;
    const TilePart& part;
    long n;  // queries in the tile
    E* own;  // (count, C), for tiles that are gathered
  };
  // to (tokens, C) at the part's tokens += weights (count, 64) x (64, C), over the part's queries
  static void add_product(E* to, long C, const E* weights, const E* x, const At& at) {
    const TilePart& part = at.part;
    const long lanes = std::min(part.behind(), at.n) - part.lane;
    const MatrixView<const E> left{weights + part.at(), part.rows, lanes, kTile, 1};
    const MatrixView<const E> right{x + part.lane * C, lanes, C, C, 1};
    if (!at.tile.token) {
      const MatrixView<E> there{to + (at.tile.begin + part.row) * C, part.rows, C, C, 1};
      return gemm_tile<Into::add>(there, left, right);
    }
    gemm_tile<Into::store>(MatrixView<E>{at.own, part.rows, C, C, 1}, left, right);
    for (long r = 0; r < part.rows; r++)
      if (at.tile.token[part.row + r] >= 0) add_row(to + at.tile.token[part.row + r] * C, at.own + r * C, C);
  }

  // L in units of log 2, +infinity where a query saw nothing (its weights are 0), and delta; both (64).
  // own_dy (n, padded Dv), o (n, Dv) by its stride
  void row_numbers(E* L, E* delta, const E* own_dy, const E* o, const Lanes<E>& lanes) const {
    const long at = (lanes.b * p.sizes.H + lanes.h) * p.sizes.T + lanes.begin, Dv = p.sizes.Dv;
    constexpr E inf = std::numeric_limits<E>::infinity();
    for (long i = 0; i < kTile; i++) {
      L[i] = i >= lanes.n || saved.L[at + i] == -inf ? inf : saved.L[at + i] * E(kLog2e);
      delta[i] = 0;
      if (i >= lanes.n) continue;
      const E *d = own_dy + i * padded<E>(Dv), *row = o + i * p.stride.o.t;
      delta[i] = sum_vectors<E>(Dv, [&](long c, long n) { return Vec<E>::load(d + c, n) * Vec<E>::load(row + c, n); });
      if (dL && saved.L[at + i] != -inf) delta[i] -= dL[at + i];
    }
  }
};

template <class E> long workspace_cpu(const SoftmaxProblem& p) {
  return Stripes(p.sizes).tasks * Parts<E>::numel(p) * long(sizeof(E));
}

// The end: what the tasks of a head have added up comes together, in their order, where it belongs.
template <class E> struct Collect {
  const SoftmaxGradients<E>& grads;
  const SoftmaxProblem& p;
  const SeenBlocks& seen;
  void* workspace;

  // dk and dv of one block of keys of one head of k and v
  void block(long head, long block) const {
    const SoftmaxSizes& z = p.sizes;
    const long b = head / z.Hk, hk = head % z.Hk, j = block * kTile, n = std::min(kTile, z.key_tokens - j);
    E* dk = grads.dk + b * p.stride.dk.b + hk * p.stride.dk.h + j * p.stride.dk.t;
    E* dv = grads.dv + b * p.stride.dv.b + hk * p.stride.dv.h + j * p.stride.dv.t;
    if (!in_place<E>(p)) {
      for (long i = 0; i < n; i++) {
        std::fill_n(dk + i * p.stride.dk.t, z.D, E(0));
        std::fill_n(dv + i * p.stride.dv.t, z.Dv, E(0));
      }
      for (long s = 0, stripes = Stripes(z).per_head; s < stripes; s++)
        if (seen.sees(head * stripes + s, block)) add(dk, dv, head * stripes + s, j, n);
    }
    for (long i = 0; i < n; i++)
      for (long c = 0; c < z.D; c++) dk[i * p.stride.dk.t + c] *= E(p.scale);
  }

  // dby_distance (H, distances): the sum over all samples and stripes
  void distances() const {
    const SoftmaxSizes& z = p.sizes;
    const Stripes stripes(z);
    const long of_task = z.H / z.Hk * p.distances;
    std::fill_n(grads.dby_distance, z.H * p.distances, E(0));
    for (long task = 0; task < stripes.tasks; task++)
      add_row(grads.dby_distance + task / stripes.per_head % z.Hk * of_task,
              Parts<E>(grads, workspace, p, task).dby_distance, of_task);
  }

 private:
  void add(E* dk, E* dv, long task, long j, long n) const {
    const Parts<E> part(grads, workspace, p, task);
    for (long i = 0; i < n; i++) {
      add_row(dk + i * p.stride.dk.t, part.dk_at(j + i), p.sizes.D);
      add_row(dv + i * p.stride.dv.t, part.dv_at(j + i), p.sizes.Dv);
    }
  }
};

template <class E>
void softmax_attention_backward_cpu(const SoftmaxGradients<E>& grads, const E* dy, const E* dL,
                                    const SoftmaxSaved<E>& saved, const SoftmaxProblem& p, void* workspace) {
  const SoftmaxSizes& z = p.sizes;
  const Backward<E> backward{grads, dy, dL, saved, p};
  const Stripes stripes(z);
  const SeenBlocks seen = in_place<E>(p) ? SeenBlocks() : SeenBlocks::of<E>(p);
  parallel_for(stripes.tasks, 1, [&](long begin, long end) {
    for (long task = begin; task < end; task++) {
      const Parts<E> parts(grads, workspace, p, task);
      clear(parts, p, seen, task);
      stripes.for_tiles(z, task, [&](long b, long h, long number) { backward.run(b, h, number, parts); });
    }
  });
  const Collect<E> collect{grads, p, seen, workspace};
  const long blocks = SeenBlocks::count(z);
  parallel_for(z.B * z.Hk * blocks, 8, [&](long begin, long end) {
    for (long i = begin; i < end; i++) collect.block(i / blocks, i % blocks);
  });
  if (grads.dby_distance) collect.distances();
}

const OnCpu backward{[]<class E>(auto set) {
  set(kernels::softmax_attention_backward<E>, softmax_attention_backward_cpu<E>);
  set(kernels::softmax_attention_workspace<E>, workspace_cpu<E>);
}};

}  // namespace
}  // namespace heed
