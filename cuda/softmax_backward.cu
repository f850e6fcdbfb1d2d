// The softmax engine's backward pass. The weights are made again from L (attention/engines/cpu/softmax_backward.cpp):
//
//   p_ij = exp(s_ij - L_i),   delta_i = <dy_i, o_i> - dL_i,   ds_ij = p_ij (<dy_i, v_j> - delta_i)
//   dq_i = scale sum_j ds_ij k_j,   dk_j = scale sum_i ds_ij q_i,   dv_j = sum_i p_ij dy_i
//
// No two blocks write to one place, so that every sum has a fixed order: one kernel has blocks that own queries and
// walk over keys, for dq and the biases; another has blocks that own keys and walk over the queries of all heads that
// use them, for dk and dv. A block gives a slice of W channels of one gradient and makes the scores that it needs.
#include "cuda/softmax_gradients.cuh"
#include "cuda/walk.cuh"

namespace heed::cuda {
namespace {

constexpr const char* kOp = "softmax_attention";

// ---- what the others need of a row: a block per tile of 64 queries of a head

// L in units of log 2, +infinity where a query saw nothing (its weights are 0), and delta
template <class E>
__global__ void prepare_kernel(const Workspace<E> to, const E* dy, const E* dL, const SoftmaxSaved<E> saved,
                               const SoftmaxProblem p) {
  HEED_SHARED(QueryRows, queries, 1);
  const long tiles = ceil_div(p.sizes.T, kTile), number = blockIdx.x / tiles, begin = blockIdx.x % tiles * kTile;
  const Head head{number / p.sizes.H, number % p.sizes.H};
  const int n = int(p.sizes.T - begin < kTile ? p.sizes.T - begin : kTile), lane = int(threadIdx.x) % 32;
  load_queries(*queries, p, head, begin, kTile);
  __syncthreads();
  const Bounds bounds = bounds_of(*queries, n);
  if (threadIdx.x == 0) to.bounds[blockIdx.x] = bounds;
  const E *o = at(saved.o, p.stride.o, head.b, head.h), *d = at(dy, p.stride.o, head.b, head.h);
  for (int i = int(threadIdx.x) / 32; i < n; i += kTileThreads / 32) {
    const long row = begin + i, place = number * p.sizes.T + row;
    E sum = 0;
    for (long c = lane; c < p.sizes.Dv; c += 32) sum += d[row * p.stride.o.t + c] * o[row * p.stride.o.t + c];
    sum = over_warp(sum, Plus());
    const E L = saved.L[place];
    if (lane > 0) continue;
    to.L[place] = L == kNothing<E> ? -kNothing<E> : L * E(kLog2e);
    to.delta[place] = dL && L != kNothing<E> ? sum - dL[place] : sum;
  }
}

// ---- dq and the biases

template <class E, int W>
__global__ void __launch_bounds__(kTileThreads, sizeof(E) == 8 ? 1 : 2)
    query_kernel(const SoftmaxGradients<E> grads, const E* dy, const SoftmaxSaved<E> in, const SoftmaxProblem p,
                 const Workspace<E> prepared, const long parts, const long slices) {
  HEED_SHARED(TileMemory<E>, memory, 1);
  HEED_SHARED(QueryRows, queries, 1);
  HEED_SHARED(KeyRows, keys, 1);
  HEED_SHARED(RowNumbers<E>, numbers, 1);
  const long tiles = ceil_div(p.sizes.T, kOwn<E>), slice = blockIdx.x % slices, part = blockIdx.x / slices % parts;
  const long h = blockIdx.x / slices / parts;
  E* distances = grads.dby_distance && slice == 0 ? prepared.distances + (h * parts + part) * p.distances : nullptr;
  for (long e = threadIdx.x; distances && e < p.distances; e += kTileThreads) distances[e] = 0;
  if (threadIdx.x == 0) memory->harmful = 0;
  int piece = 0;
  for (long item = part; item < p.sizes.B * tiles; item += parts) {
    const Head head{item / tiles, h};
    const long begin = (tiles - 1 - item % tiles) * kOwn<E>;
    const Operands<E> x(in, dy, p, head, *queries, *keys);
    const Pairs<E> pairs(p, in, head, *queries, *keys, int(begin % kTile));
    load_queries(*queries, p, head, begin, kOwn<E>);
    load_numbers(*numbers, prepared, p, head, begin, kOwn<E>);
    __syncthreads();
    const KeyTiles seen(p, head, begin, bounds_of(*queries, rows_left<E>(p.sizes.T, begin)));
    E sum[kOwnEach<E>][W / 8] = {};
    for (long e = seen.first; e < seen.end; e++) {
      const long key = seen.key(e);
      if (key < 0) continue;
      load_keys(*keys, p, head, key, kTile);
      load_words(*keys, seen.words(e), kTile);
      __syncthreads();
      const bool hidden = !seen.full(e, key);
      E s[kOwnEach<E>][kPairsEach] = {}, ds[kOwnEach<E>][kPairsEach] = {};
      add_scores(s, *memory, x.q, x.k, p.sizes.D, E(p.scale * kLog2e));
      weights_from<true>(s, *memory, pairs, *numbers, hidden);
      add_scores(ds, *memory, x.dy, x.v, p.sizes.Dv, E(1));
      score_gradients<true>(ds, s, pairs, *numbers);
      keep_weights(*memory, ds);
      add_results<W>(sum, *memory, x.k, slice * W, p.sizes.D, hidden, piece);
      if (slice > 0 || !(distances || grads.dby_query)) continue;
      if (distances) add_distances(distances, memory->weights, pairs, begin - key);
      if (grads.dby_query) add_clipped(grads.dby_query, memory->weights, pairs);
      __syncthreads();
    }
    write_rows<W>(at(grads.dq, p.stride.dq, head.b, h), p.stride.dq.t, sum, E(p.scale), begin, p.sizes.T, slice,
                  p.sizes.D);
    __syncthreads();
  }
}

// ---- dk and dv

// The entry of the plan (0 without one) by which a block of keys from row `begin` on sees a tile of queries; -1: none
__device__ long entry_of(const SoftmaxProblem& p, const Head& head, const Bounds* bounds, long tile, long begin,
                         int count) {
  const Bounds& seen = bounds[head.number(p) * ceil_div(p.sizes.T, kTile) + tile];
  const kernels::PlanTiles& plan = p.seen.plan;
  if (p.seen.key_index ? seen.least_first > seen.most_last : !seen.touches(begin, count)) return -1;
  if (!plan) return 0;
  const long row = plan.row(head.b, head.h, tile), wanted = begin / kTile;
  long low = plan.begin[row], high = plan.begin[row + 1];
  const long end = high;
  while (low < high) {  // the first entry that is not before the wanted tile of keys
    const long middle = (low + high) / 2;
    if (plan.key_tile[middle] < wanted)
      low = middle + 1;
    else
      high = middle;
  }
  return low < end && plan.key_tile[low] == wanted ? low : -1;
}

// Where the gradient of a block of keys goes: dk and dv by tokens, or, with an index, by rows of each head, from where
// they are added up.
template <class E> struct KeyGradient {
  bool of_values;
  long slice, channels;
  E* to;
  long stride;

  __device__ KeyGradient(const SoftmaxGradients<E>& grads, const Workspace<E>& space, const SoftmaxProblem& p,
                         const Head& first, long number, long value_slices)
      : of_values(number < value_slices), slice(of_values ? number : number - value_slices) {
    channels = of_values ? p.sizes.Dv : p.sizes.D;
    const kernels::TokenStrides& strides = of_values ? p.stride.dv : p.stride.dk;
    const bool by_rows = bool(p.seen.key_index);
    to = by_rows ? (of_values ? space.dv : space.dk) + first.number(p) * p.sizes.S * channels
                 : at(of_values ? grads.dv : grads.dk, strides, first.b, first.of_keys(p));
    stride = by_rows ? channels : strides.t;
  }
};

template <class E, int W>
__global__ void __launch_bounds__(kTileThreads, sizeof(E) == 8 ? 1 : 2)
    key_kernel(const SoftmaxGradients<E> grads, const E* dy, const SoftmaxSaved<E> in, const SoftmaxProblem p,
               const Workspace<E> prepared, const long value_slices, const long slices) {
  HEED_SHARED(TileMemory<E>, memory, 1);
  HEED_SHARED(QueryRows, queries, 1);
  HEED_SHARED(KeyRows, keys, 1);
  HEED_SHARED(RowNumbers<E>, numbers, 1);
  HEED_SHARED(long, entries, kTileThreads);
  const long blocks = ceil_div(p.sizes.S, kOwn<E>), task = blockIdx.x / slices, begin = task % blocks * kOwn<E>;
  const long heads = p.seen.key_index ? 1 : p.sizes.H / p.sizes.Hk, number = task / blocks * heads;
  const long query_tiles = ceil_div(p.sizes.T, kTile);
  Head head{number / p.sizes.H, number % p.sizes.H};
  const KeyGradient<E> gradient(grads, prepared, p, head, blockIdx.x % slices, value_slices);
  load_keys(*keys, p, head, begin, kOwn<E>);
  if (threadIdx.x == 0) memory->harmful = 0;
  int piece = 0;
  E sum[kOwnEach<E>][W / 8] = {};
  for (const long behind = head.h + heads; head.h < behind; head.h++)
    for (long chunk = 0; chunk < query_tiles; chunk += kTileThreads) {
      const long tile = chunk + threadIdx.x;
      __syncthreads();
      entries[threadIdx.x] =
          tile < query_tiles ? entry_of(p, head, prepared.bounds, tile, begin, rows_left<E>(p.sizes.S, begin)) : -1;
      __syncthreads();
      for (int x = 0; x < kTileThreads; x++) {
        const long entry = entries[x];
        if (entry < 0) continue;
        const uint64_t* words = p.seen.plan ? p.seen.plan.words(entry) : nullptr;
        load_queries(*queries, p, head, (chunk + x) * kTile, kTile);
        load_numbers(*numbers, prepared, p, head, (chunk + x) * kTile, kTile);
        load_words(*keys, words ? words + begin % kTile : nullptr, kOwn<E>);
        __syncthreads();
        const Bounds& bounds = prepared.bounds[head.number(p) * query_tiles + chunk + x];
        const bool hidden = words || !only_ranges(p) || !bounds.covers(begin, kOwn<E>);
        add_key_tile<W>(sum, *memory, Operands<E>(in, dy, p, head, *queries, *keys),
                        Pairs<E>(p, in, head, *queries, *keys, 0), *numbers, hidden, gradient.of_values, gradient.slice,
                        piece);
      }
    }
  write_rows<W>(gradient.to, gradient.stride, sum, gradient.of_values ? E(1) : E(p.scale), begin, p.sizes.S,
                gradient.slice, gradient.channels);
}

// ---- sums of parts

// dk and dv of a tile of 64 tokens: the rows of all heads of the group in which an index has put them, in their order.
// A thread has the same channels of all of them.
template <class E>
__global__ void collect_kernel(const SoftmaxGradients<E> grads, const Workspace<E> from, const SoftmaxProblem p) {
  HEED_SHARED(int, found, kTileThreads);
  const auto& z = p.sizes;
  const long tiles = ceil_div(z.key_tokens, kTile), begin = blockIdx.x % tiles * kTile, number = blockIdx.x / tiles;
  const long b = number / z.Hk, hk = number % z.Hk, groups = z.H / z.Hk;
  E *dk = at(grads.dk, p.stride.dk, b, hk), *dv = at(grads.dv, p.stride.dv, b, hk);
  for (long j = begin; j < begin + kTile && j < z.key_tokens; j++)
    for (long c = threadIdx.x; c < z.D + z.Dv; c += kTileThreads)
      (c < z.D ? dk[j * p.stride.dk.t + c] : dv[j * p.stride.dv.t + c - z.D]) = 0;
  for (long h = hk * groups; h < (hk + 1) * groups; h++)
    for (long chunk = 0; chunk < z.S; chunk += kTileThreads) {
      const long row = chunk + threadIdx.x, first = (b * z.H + h) * z.S + chunk;
      __syncthreads();
      found[threadIdx.x] = row < z.S ? p.seen.key_index.of(b, h)[row] : -1;
      __syncthreads();
      for (int x = 0; x < kTileThreads; x++) {
        const long token = found[x];
        if (token < begin || token >= begin + kTile) continue;
        for (long c = threadIdx.x; c < z.D; c += kTileThreads)
          dk[token * p.stride.dk.t + c] += from.dk[(first + x) * z.D + c];
        for (long c = threadIdx.x; c < z.Dv; c += kTileThreads)
          dv[token * p.stride.dv.t + c] += from.dv[(first + x) * z.Dv + c];
      }
    }
}

// dby_distance (H, distances) = the sum of parts (H, parts, distances)
template <class E> void sum_distances(E* dby_distance, const E* part, const SoftmaxProblem& p, long parts) {
  const long distances = p.distances;
  for_elements(kOp, p.sizes.H * distances, [=] __device__(long e) {
    const E* from = part + e / distances * parts * distances + e % distances;
    E sum = 0;
    for (long i = 0; i < parts; i++) sum += from[i * distances];
    dby_distance[e] = sum;
  });
}

// ---- the slots

template <int W, class E>
void query_pass(const SoftmaxGradients<E>& grads, const E* dy, const SoftmaxSaved<E>& saved, const SoftmaxProblem& p,
                const Workspace<E>& space) {
  const long slices = ceil_div(p.sizes.D, W), tiles = p.sizes.B * ceil_div(p.sizes.T, kOwn<E>);
  const long parts = grads.dby_distance ? distance_parts<E>(p) : tiles;
  launch(kOp, query_kernel<E, W>, {p.sizes.H * parts * slices, kTileThreads}, grads, dy, saved, p, space, parts,
         slices);
  if (grads.dby_distance) sum_distances(grads.dby_distance, space.distances, p, parts);
}

template <int W, class E>
void key_pass(const SoftmaxGradients<E>& grads, const E* dy, const SoftmaxSaved<E>& saved, const SoftmaxProblem& p,
              const Workspace<E>& space) {
  const auto& z = p.sizes;
  const long values = ceil_div(z.Dv, W), slices = values + ceil_div(z.D, W);
  const long heads = p.seen.key_index ? z.H : z.Hk;
  launch(kOp, key_kernel<E, W>, {z.B * heads * ceil_div(z.S, kOwn<E>) * slices, kTileThreads}, grads, dy, saved, p,
         space, values, slices);
  if (p.seen.key_index)
    launch(kOp, collect_kernel<E>, {z.B * z.Hk * ceil_div(z.key_tokens, kTile), kTileThreads}, grads, space, p);
}

template <class E>
void softmax_attention_backward(const SoftmaxGradients<E>& grads, const E* dy, const E* dL,
                                const SoftmaxSaved<E>& saved, const SoftmaxProblem& p, void* workspace) {
  const auto& z = p.sizes;
  const Workspace<E> space(p, workspace);
  launch(kOp, prepare_kernel<E>, {z.B * z.H * ceil_div(z.T, kTile), kTileThreads}, space, dy, dL, saved, p);
  with_width<E>(z.D, [&](auto width) { query_pass<width()>(grads, dy, saved, p, space); });
  with_width<E>(std::max(z.D, z.Dv), [&](auto width) { key_pass<width()>(grads, dy, saved, p, space); });
}

template <class E> long workspace(const SoftmaxProblem& p) { return Workspace<E>(p, nullptr).bytes; }

const OnCuda backward{[]<class E>(auto set) {
  set(kernels::softmax_attention_backward<E>, softmax_attention_backward<E>);
  set(kernels::softmax_attention_workspace<E>, workspace<E>);
}};

}  // namespace
}  // namespace heed::cuda
