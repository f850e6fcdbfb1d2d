// Linear attention. Its result and its three gradients are one and the same walk over the pieces (linear_kernels.h):
// rows that ask, sums M of the tokens that they have passed, and the tokens of their own piece pair by pair,
//
//   result (n, W) = asks M + tril(asks partners^T) contents,      then M += partners^T contents
//
//          direction   asks           partners     contents     M             result
//   o      forwards    q (F)          k (F)        v, 1         S and z       numerator and denominator
//   dq     forwards    N, e           v, 1         k (F)        S^T and z     dq
//   dk     backwards   v, 1           N, e         q (F)        R^T and r     dk
//   dv     backwards   k (F)          q (F)        N            R             dv
//
// with N = dy / den and e = -<dy, o> / den (cpu/linear_backward.cpp). A 1 beside v is a channel that is not in memory:
// with it the denominators are one more column of the numerators. A block walks over all pieces of a head of keys, for
// W channels of the contents; its M lies in the workspace.
#include "attention/engines/linear_kernels.h"
#include "cuda/reduce.cuh"
#include "cuda/softmax_tile.cuh"
#include "cuda/walk.cuh"

namespace heed::cuda {
namespace {

using kernels::LinearGradients;
using kernels::LinearOperands;
using kernels::LinearPiece;
using kernels::LinearProblem;
using kernels::LinearResults;
using kernels::LinearSaved;
using kernels::TokenStrides;
static_assert(kernels::kLinearPiece == kTile);

constexpr const char* kOp = "linear_attention";
constexpr int W = 64;  // channels of the contents that a block has

template <class E> struct Tokens {  // (B, heads, tokens, channels)
  const E* x;
  TokenStrides stride;
  long ones;  // a channel that is 1 in all tokens; -1: none

  __device__ RowsAt<E> rows(long b, long h, const int* row) const {
    return {x + b * stride.b + h * stride.h, stride.t, row, ones};
  }
};

template <class E> struct Sweep {
  bool reverse;  // backwards: keys ask, and queries of all heads are their partners
  Tokens<E> asks, partners, contents;
  long depth, width;  // channels of asks and partners, channels of contents
  E* to;              // (B, heads, tokens, channels): the result
  TokenStrides to_stride;
  E* extra;         // (B, H, T): the last channel of the result, if it goes elsewhere; or null
  const E* before;  // (B, Hk, depth, width): M before the first piece; null: zeros
  E* behind;        // M behind the last one; null: not wanted
  E* M;             // (B, Hk, slices, depth, W)
};

template <class E> using Own = E[kOwnEach<E>][W / 8];

// The rows of one side of a piece
__device__ void load_rows(int* row, int first, int count, int begin, int rows) {
  for (int i = int(threadIdx.x); i < rows; i += kTileThreads) row[i] = begin + i < count ? first + begin + i : -1;
}

// sum (own, W) += asks M. Ends with a barrier.
template <class E>
__device__ void ask(Own<E>& sum, TileMemory<E>& memory, const RowsAt<E>& asks, const E* M, long depth) {
  constexpr int kRow = kOwn<E> + kGap;
  E *left = memory.pieces, *right = left + kPiece<E> * kRow;
  static_assert(kPiece<E> * (kRow + W) <= TileMemory<E>::kPieces);
  for (long c = 0; c < depth; c += kPiece<E>) {
    load_transposed<kOwn<E>>(left, asks, c, depth, E(1));
    for (int e = int(threadIdx.x); e < kPiece<E> * W; e += kTileThreads)
      right[e] = c + e / W < depth ? M[c * W + e] : E(0);
    __syncthreads();
    add_product<false>(sum, left, kRow, right, W, kPiece<E>);
    __syncthreads();
  }
}

// M (depth, W) += partners^T contents, the channels c .. of the latter. Ends with a barrier.
template <class E>
__device__ void add_sums(E* M, TileMemory<E>& memory, const RowsAt<E>& partners, const RowsAt<E>& contents, long depth,
                         long c, long width) {
  constexpr int kRow = kOwn<E> + kGap;
  E *left = memory.pieces, *right = left + kPiece<E> * kRow;
  for (long own = 0; own < depth; own += kOwn<E>) {
    Own<E> sum = {};
    for (int begin = 0; begin < kTile; begin += kPiece<E>) {
      for (int e = int(threadIdx.x); e < kPiece<E> * kOwn<E>; e += kTileThreads)
        left[e / kOwn<E> * kRow + e % kOwn<E>] = partners.at(begin + e / kOwn<E>, own + e % kOwn<E>, depth);
      for (int e = int(threadIdx.x); e < kPiece<E> * W; e += kTileThreads)
        right[e] = contents.at(begin + e / W, c + e % W, width);
      __syncthreads();
      add_product<false>(sum, left, kRow, right, W, kPiece<E>);
      __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < kOwnEach<E>; i++)
#pragma unroll
      for (int x = 0; x < W / 8; x++)
        if (own + own_at<E>(i) < depth) M[(own + own_at<E>(i)) * W + column_at(x)] += sum[i][x];
  }
  __syncthreads();
}

// sum += tril(asks partners^T) contents; begin: the place of the first own row in the piece
template <class E>
__device__ void add_pairs(Own<E>& sum, TileMemory<E>& memory, const Sweep<E>& sweep, const RowsAt<E>& asks,
                          const RowsAt<E>& partners, const RowsAt<E>& contents, int begin, long c, int& piece) {
  E s[kOwnEach<E>][kPairsEach] = {};
  add_scores(s, memory, asks, partners, sweep.depth, E(1));
#pragma unroll
  for (int i = 0; i < kOwnEach<E>; i++)
#pragma unroll
    for (int x = 0; x < kPairsEach; x++) {
      const int own = begin + own_at<E>(i), other = column_at(x);
      if (sweep.reverse ? other < own : other > own) s[i][x] = 0;
    }
  keep_weights(memory, s);
  add_results<W>(sum, memory, contents, c, sweep.width, true, piece);
}

template <class E>
__device__ void write(const Own<E>& sum, const Sweep<E>& sweep, const LinearProblem& p, long b, long h, long c,
                      const int* row) {
  E* to = sweep.to + b * sweep.to_stride.b + h * sweep.to_stride.h;
#pragma unroll
  for (int i = 0; i < kOwnEach<E>; i++)
#pragma unroll
    for (int x = 0; x < W / 8; x++) {
      const long token = row[own_at<E>(i)], channel = c + column_at(x);
      if (token < 0 || channel >= sweep.width) continue;
      if (sweep.extra && channel == sweep.width - 1)
        sweep.extra[(b * p.sizes.H + h) * p.sizes.T + token] = sum[i][x];
      else
        to[token * sweep.to_stride.t + channel] = sum[i][x];
    }
}

// A block's M: from or to (depth, width) at the channels c ..
template <class E> __device__ void begin_sums(E* M, const E* before, long depth, long width, long c) {
  for (long e = threadIdx.x; e < depth * W; e += kTileThreads)
    M[e] = before && c + e % W < width ? before[e / W * width + c + e % W] : E(0);
}
template <class E> __device__ void end_sums(E* behind, const E* M, long depth, long width, long c) {
  for (long e = threadIdx.x; e < depth * W; e += kTileThreads)
    if (c + e % W < width) behind[e / W * width + c + e % W] = M[e];
}

template <class E>
__global__ void __launch_bounds__(kTileThreads, 2)
    sweep_kernel(const Sweep<E> sweep, const LinearProblem p, const long slices) {
  HEED_SHARED(TileMemory<E>, memory, 1);
  HEED_SHARED(int, own_rows, kTile);
  HEED_SHARED(int, other_rows, kTile);
  const long head = blockIdx.x / slices, b = head / p.sizes.Hk, hk = head % p.sizes.Hk;
  const long c = blockIdx.x % slices * W, groups = p.sizes.H / p.sizes.Hk, numel = sweep.depth * sweep.width;
  const long first = p.pieces && p.begin ? p.begin[b] : 0;
  const long count = p.pieces && p.begin ? p.begin[b + 1] - first : p.shared;
  const long askers = sweep.reverse ? 1 : groups, others = sweep.reverse ? groups : 1;
  E* M = sweep.M + blockIdx.x * sweep.depth * W;
  begin_sums(M, sweep.before ? sweep.before + head * numel : nullptr, sweep.depth, sweep.width, c);
  if (threadIdx.x == 0) memory->harmful = 0;
  int piece = 0;
  for (long number = 0; number < count; number++) {
    const long e = first + (sweep.reverse ? count - 1 - number : number);
    const LinearPiece now = p.pieces ? p.pieces[e] : p.only;
    if (!sweep.reverse && now.fresh) begin_sums<E>(M, nullptr, sweep.depth, sweep.width, c);
    const int own = sweep.reverse ? now.keys : now.queries, other = sweep.reverse ? now.queries : now.keys;
    load_rows(other_rows, sweep.reverse ? now.query : now.key, other, 0, kTile);
    for (int begin = 0; begin < own; begin += kOwn<E>) {
      load_rows(own_rows, sweep.reverse ? now.key : now.query, own, begin, kOwn<E>);
      __syncthreads();
      for (long a = hk * askers; a < (hk + 1) * askers; a++) {
        Own<E> sum = {};
        const RowsAt<E> asks = sweep.asks.rows(b, a, own_rows);
        ask(sum, *memory, asks, M, sweep.depth);
        for (long o = hk * others; other > 0 && o < (hk + 1) * others; o++)
          add_pairs(sum, *memory, sweep, asks, sweep.partners.rows(b, o, other_rows),
                    sweep.contents.rows(b, o, other_rows), begin, c, piece);
        write(sum, sweep, p, b, a, c, own_rows);
      }
      __syncthreads();
    }
    __syncthreads();
    for (long o = hk * others; other > 0 && o < (hk + 1) * others; o++)
      add_sums(M, *memory, sweep.partners.rows(b, o, other_rows), sweep.contents.rows(b, o, other_rows), sweep.depth, c,
               sweep.width);
    if (sweep.reverse && now.fresh) begin_sums<E>(M, nullptr, sweep.depth, sweep.width, c);
    __syncthreads();
  }
  if (sweep.behind) end_sums(sweep.behind + head * numel, M, sweep.depth, sweep.width, c);
}

template <class E> void run(const Sweep<E>& sweep, const LinearProblem& p) {
  const long slices = ceil_div(sweep.width, W);
  launch(kOp, sweep_kernel<E>, {p.sizes.B * p.sizes.Hk * slices, kTileThreads}, sweep, p, slices);
}
long sums_numel(const LinearProblem& p, long depth, long width) {
  return p.sizes.B * p.sizes.Hk * ceil_div(width, W) * depth * W;
}

// ---- forward

// o *= 1 / denominator; a row is one query of one head
template <class E> struct Divide {
  LinearResults<E> out;
  const E* denominator;
  LinearProblem p;

  __device__ void operator()(long row) const {
    const auto& z = p.sizes;
    const E inverse = kernels::inverse_of(denominator[row], E(p.epsilon));
    E* o = out.o + row / z.T / z.H * p.stride.o.b + row / z.T % z.H * p.stride.o.h + row % z.T * p.stride.o.t;
    for (long c = threadIdx.x; c < z.Dv; c += blockDim.x) o[c] *= inverse;
    if (out.inverse && threadIdx.x == 0) out.inverse[row] = inverse;
  }
};

template <class E>
void linear_attention(const LinearResults<E>& out, const LinearOperands<E>& in, const LinearProblem& p,
                      void* workspace) {
  const auto& z = p.sizes;
  E *denominator = static_cast<E*>(workspace), *M = denominator + z.B * z.H * z.T;
  run<E>({.reverse = false,
          .asks = {in.q, p.stride.q, -1},
          .partners = {in.k, p.stride.k, -1},
          .contents = {in.v, p.stride.v, z.Dv},
          .depth = z.F,
          .width = z.Dv + 1,
          .to = out.o,
          .to_stride = p.stride.o,
          .extra = denominator,
          .before = in.sums,
          .behind = out.sums,
          .M = M},
         p);
  for_rows(kOp, z.B * z.H * z.T, 32, Divide<E>{out, denominator, p});
}
template <class E> long workspace(const LinearProblem& p) {
  const auto& z = p.sizes;
  return (z.B * z.H * z.T + sums_numel(p, z.F, z.Dv + 1)) * long(sizeof(E));
}

// ---- backward

// N and e, (B, H, T, Dv + 1)
template <class E> struct Prepare {
  E* N;
  const E* dy;
  LinearSaved<E> saved;
  LinearProblem p;

  __device__ void operator()(long row) const {
    const auto& z = p.sizes;
    const long at = row / z.T / z.H * p.stride.o.b + row / z.T % z.H * p.stride.o.h + row % z.T * p.stride.o.t;
    const E inverse = saved.inverse[row];
    E sum = 0;
    for (long c = threadIdx.x; c < z.Dv; c += blockDim.x) {
      N[row * (z.Dv + 1) + c] = dy[at + c] * inverse;
      sum += dy[at + c] * saved.o[at + c];
    }
    sum = over_warp(sum, Plus());
    if (threadIdx.x == 0) N[row * (z.Dv + 1) + z.Dv] = -inverse * sum;
  }
};

// S as (Dv + 1, F), from the sums (F, Dv + 1) before the first piece
template <class E> void transpose_sums(E* to, const E* from, const LinearProblem& p) {
  const long F = p.sizes.F, C = p.sizes.Dv + 1;
  for_elements(kOp, p.sizes.B * p.sizes.Hk * F * C,
               [=] __device__(long e) { to[e / (F * C) * F * C + e % C * F + e / C % F] = from[e]; });
}

template <class E> struct BackwardSpace {
  E *N, *before, *M;
  long bytes;

  BackwardSpace(const LinearProblem& p, void* memory) {
    const auto& z = p.sizes;
    N = static_cast<E*>(memory), before = N + z.B * z.H * z.T * (z.Dv + 1);
    M = before + (p.begins_with_sums ? z.B * z.Hk * z.F * (z.Dv + 1) : 0);
    E* end = M + std::max(sums_numel(p, z.Dv + 1, z.F), sums_numel(p, z.F, z.Dv));  // one sweep after the other
    bytes = reinterpret_cast<char*>(end) - static_cast<char*>(memory);
  }
};

template <class E>
void linear_attention_backward(const LinearGradients<E>& grads, const E* dy, const LinearSaved<E>& saved,
                               const LinearProblem& p, void* workspace) {
  const auto& z = p.sizes;
  const BackwardSpace<E> space(p, workspace);
  for_rows(kOp, z.B * z.H * z.T, 32, Prepare<E>{space.N, dy, saved, p});
  if (saved.sums) transpose_sums(space.before, saved.sums, p);
  const long row = z.Dv + 1;
  const Tokens<E> q{saved.q, p.stride.q, -1}, k{saved.k, p.stride.k, -1}, v{saved.v, p.stride.v, z.Dv};
  const Tokens<E> N{space.N, {z.H * z.T * row, z.T * row, row}, -1};
  Sweep<E> sweep{.reverse = false,
                 .asks = N,
                 .partners = v,
                 .contents = k,
                 .depth = row,
                 .width = z.F,
                 .to = grads.dq,
                 .to_stride = p.stride.dq,
                 .extra = nullptr,
                 .before = saved.sums ? space.before : nullptr,
                 .behind = nullptr,
                 .M = space.M};
  run(sweep, p);
  sweep.reverse = true, sweep.before = nullptr;
  sweep.asks = v, sweep.partners = N, sweep.contents = q, sweep.to = grads.dk, sweep.to_stride = p.stride.dk;
  run(sweep, p);
  sweep.asks = k, sweep.partners = q, sweep.contents = N, sweep.to = grads.dv, sweep.to_stride = p.stride.dv;
  sweep.depth = z.F, sweep.width = z.Dv;
  run(sweep, p);
}
template <class E> long backward_workspace(const LinearProblem& p) { return BackwardSpace<E>(p, nullptr).bytes; }

const OnCuda attention{[]<class E>(auto set) {
  set(kernels::linear_attention<E>, linear_attention<E>);
  set(kernels::linear_attention_workspace<E>, workspace<E>);
  set(kernels::linear_attention_backward<E>, linear_attention_backward<E>);
  set(kernels::linear_attention_backward_workspace<E>, backward_workspace<E>);
}};

}  // namespace
}  // namespace heed::cuda
