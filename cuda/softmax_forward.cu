// The softmax engine's forward pass: the online softmax of attention/engines/online_softmax.cpp by tiles. A block owns
// some queries of a head (64 in f32) and walks over the tiles of 64 keys that they see, in rising order; scores and
// collected results stay in registers, and the weights of a tile go through shared memory from one product to the next.
//
// A block collects W channels of v. Heads that are wider than 128 have a block for every slice of W channels, which
// makes the scores again; q and k may be as wide as they like.
#include "attention/engines/softmax_kernels.h"
#include "cuda/softmax_seen.cuh"

namespace heed::cuda {
namespace {

// What a thread has collected for its own rows; top and sum are the same in the 8 threads of a group.
template <class E, int W> struct Collected {
  E top[kOwnEach<E>], sum[kOwnEach<E>], out[kOwnEach<E>][W / 8];

  __device__ Collected() {
#pragma unroll
    for (int i = 0; i < kOwnEach<E>; i++) {
      top[i] = kNothing<E>, sum[i] = 0;
#pragma unroll
      for (int x = 0; x < W / 8; x++) out[i][x] = 0;
    }
  }

  // A step of the online softmax: s becomes the weights exp(s - top), and everything collected so far is scaled anew.
  __device__ void step(E (&s)[kOwnEach<E>][kPairsEach]) {
#pragma unroll
    for (int i = 0; i < kOwnEach<E>; i++) {
      E most = top[i], part = 0;
#pragma unroll
      for (int x = 0; x < kPairsEach; x++) most = Most()(s[i][x], most);
#pragma unroll
      for (int step = 1; step < 8; step *= 2) most = Most()(most, __shfl_xor_sync(0xffffffffu, most, step));
      const E reference = most == kNothing<E> ? E(0) : most, change = weight_of(top[i] - reference);
      top[i] = most;
#pragma unroll
      for (int x = 0; x < kPairsEach; x++) part += s[i][x] = weight_of(s[i][x] - reference);
#pragma unroll
      for (int step = 1; step < 8; step *= 2) part += __shfl_xor_sync(0xffffffffu, part, step);
      sum[i] = sum[i] * change + part;
#pragma unroll
      for (int x = 0; x < W / 8; x++) out[i][x] *= change;
    }
  }

  // o = collected / sum, L = log(sum) + top; a query that saw nothing gets o = 0 and L = -infinity. o, L: of the head
  __device__ void write(E* o, E* L, const SoftmaxProblem& p, long begin, long slice) const {
#pragma unroll
    for (int i = 0; i < kOwnEach<E>; i++) {
      const long row = begin + own_at<E>(i);
      if (row >= p.sizes.T) continue;
      const E factor = sum[i] > 0 || sum[i] != sum[i] ? 1 / sum[i] : E(0);
#pragma unroll
      for (int x = 0; x < W / 8; x++) {
        const long c = slice * W + column_at(x);
        if (c < p.sizes.Dv) o[row * p.stride.o.t + c] = out[i][x] * factor;
      }
      if (slice == 0 && threadIdx.x % 8 == 0) L[row] = sum[i] == 0 ? kNothing<E> : (top[i] + log2(sum[i])) * E(kLog2);
    }
  }
};

template <class E, int W>
__global__ void __launch_bounds__(kTileThreads, sizeof(E) == 8 || W == 128 ? 2 : 3)
    forward_kernel(E* o, E* L, const SoftmaxOperands<E> in, const SoftmaxProblem p, const long slices) {
  HEED_SHARED(TileMemory<E>, memory, 1);
  HEED_SHARED(QueryRows, queries, 1);
  HEED_SHARED(KeyRows, keys, 1);
  const long tiles = ceil_div(p.sizes.T, kOwn<E>), task = blockIdx.x / slices, slice = blockIdx.x % slices;
  const Head head{task / tiles / p.sizes.H, task / tiles % p.sizes.H};
  const long begin = (tiles - 1 - task % tiles) * kOwn<E>;  // the last ones first: they often see most
  const RowsAt<E> q{at(in.q, p.stride.q, head.b, head.h), p.stride.q.t, queries->token};
  const RowsAt<E> k{at(in.k, p.stride.k, head.b, head.of_keys(p)), p.stride.k.t, keys->token};
  const RowsAt<E> v{at(in.v, p.stride.v, head.b, head.of_keys(p)), p.stride.v.t, keys->token};
  const Pairs<E> pairs(p, in, head, *queries, *keys, int(begin % kTile));
  load_queries(*queries, p, head, begin, kOwn<E>);
  if (threadIdx.x == 0) memory->harmful = 0;
  __syncthreads();
  const KeyTiles tiles_seen(p, head, begin, bounds_of(*queries, rows_left<E>(p.sizes.T, begin)));
  Collected<E, W> collected;
  int piece = 0;
  for (long e = tiles_seen.first; e < tiles_seen.end; e++) {
    const long key = tiles_seen.key(e);
    if (key < 0) continue;
    load_keys(*keys, p, head, key, kTile);
    load_words(*keys, tiles_seen.words(e), kTile);
    __syncthreads();
    E s[kOwnEach<E>][kPairsEach] = {};
    add_scores(s, *memory, q, k, p.sizes.D, E(p.scale * kLog2e));
    const bool hidden = !tiles_seen.full(e, key);
    if (hidden || pairs.biased()) bias_and_hide<true>(s, *memory, pairs);
    collected.step(s);
    if (p.keep.threshold) drop<true>(s, pairs);
    keep_weights(*memory, s);
    add_results<W>(collected.out, *memory, v, slice * W, p.sizes.Dv, hidden, piece);
  }
  collected.write(at(o, p.stride.o, head.b, head.h), L + head.number(p) * p.sizes.T, p, begin, slice);
}

template <int W, class E> void forward(E* o, E* L, const SoftmaxOperands<E>& in, const SoftmaxProblem& p) {
  const long slices = std::max(1L, ceil_div(p.sizes.Dv, W)), tiles = ceil_div(p.sizes.T, kOwn<E>);
  launch("softmax_attention", forward_kernel<E, W>, {p.sizes.B * p.sizes.H * tiles * slices, kTileThreads}, o, L, in, p,
         slices);
}

template <class E> void softmax_attention(E* o, E* L, const SoftmaxOperands<E>& in, const SoftmaxProblem& p) {
  with_width<E>(p.sizes.Dv, [&](auto width) { forward<width()>(o, L, in, p); });
}

const OnCuda forward_pass{[]<class E>(auto set) { set(kernels::softmax_attention<E>, softmax_attention<E>); }};

}  // namespace
}  // namespace heed::cuda
