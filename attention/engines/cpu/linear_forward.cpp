// The forward pass of linear attention, piece by piece. For every head of queries of a piece
//
//   a   = tril(q k^T)                 (keys, 64), by strips; only if the piece has keys too
//   den = z q^T + sum_j a_j           (64)
//   o   = (q S + a^T v) / den         (n, Dv)
//
// and then, once, S += k^T v and z += sum_j k_j. All of it stays in the first caches: for 64 features and channels in
// f32, S, a, q and v are 16 KB each. What is written is o and 1 / den, O(T).
#include "attention/engines/cpu/linear_few.h"
#include "attention/engines/cpu/linear_sweep.h"
#include "attention/engines/cpu/linear_tile.h"

namespace heed {
namespace {

using kernels::LinearOperands;
using kernels::LinearResults;
using kernels::LinearSizes;

template <class E> struct Forward {
  static constexpr bool kReverse = false;
  const LinearResults<E>& out;
  const LinearOperands<E>& in;
  const LinearProblem& p;

  // S (F, padded Dv), then z (F)
  long sums() const { return p.sizes.F * (padded<E>(p.sizes.Dv) + 1); }
  E* z_of(E* sums) const { return sums + p.sizes.F * padded<E>(p.sizes.Dv); }

  struct Scratch {
    E *q, *a, *o, *v, *inverse;  // q^T (F, 64), (keys, 64), (64, padded Dv), (64, padded Dv), (64)
    Scratch(E* memory, const LinearSizes& z) {
      Carver<E> carver(memory);
      q = carver.take(z.F * kPiece);
      a = carver.take(kPiece * kPiece);
      o = carver.take(kPiece * padded<E>(z.Dv));
      v = carver.take(kPiece * padded<E>(z.Dv));
      inverse = carver.take(kPiece);
    }
  };
  long scratch() const { return kPiece * (p.sizes.F + kPiece + 2 * padded<E>(p.sizes.Dv) + 1); }

  void begin(long b, long hk, E* sums) const {
    const auto [F, Dv] = std::pair{p.sizes.F, p.sizes.Dv};
    std::fill_n(sums, this->sums(), E(0));
    if (!in.sums) return;
    const E* from = in.sums + (b * p.sizes.Hk + hk) * F * (Dv + 1);
    for (long f = 0; f < F; f++, from += Dv + 1) {
      std::copy_n(from, Dv, sums + f * padded<E>(Dv));
      z_of(sums)[f] = from[Dv];
    }
  }

  void end(long b, long hk, E* sums) const {
    const auto [F, Dv] = std::pair{p.sizes.F, p.sizes.Dv};
    if (!out.sums) return;
    E* to = out.sums + (b * p.sizes.Hk + hk) * F * (Dv + 1);
    for (long f = 0; f < F; f++, to += Dv + 1) {
      std::copy_n(sums + f * padded<E>(Dv), Dv, to);
      to[Dv] = z_of(sums)[f];
    }
  }

  Rows<E> queries(const PieceAt& at, long h) const {
    const auto& [s_b, s_h, s_t] = p.stride.q;
    return {in.q + at.b * s_b + h * s_h + at.piece.query * s_t, s_t};
  }
  Rows<E> keys(const PieceAt& at) const {
    const auto& [s_b, s_h, s_t] = p.stride.k;
    return {in.k + at.b * s_b + at.hk * s_h + at.piece.key * s_t, s_t};
  }
  Rows<E> values(const PieceAt& at) const {
    const auto& [s_b, s_h, s_t] = p.stride.v;
    return {in.v + at.b * s_b + at.hk * s_h + at.piece.key * s_t, s_t};
  }

  void expect(const PieceAt& at, bool results) const {
    fetch(keys(at), at.piece.keys, p.sizes.F);
    fetch(values(at), at.piece.keys, p.sizes.Dv);
    if (results) fetch(queries(at, at.hk * (p.sizes.H / p.sizes.Hk)), at.piece.queries, p.sizes.F);
  }

  void visit(const PieceAt& at, E* sums, E* memory, bool results) const {
    const LinearSizes& z = p.sizes;
    const LinearPiece& piece = at.piece;
    const Scratch own(memory, z);
    const Rows<E> k = keys(at), v = whole_rows(values(at), piece.keys, z.Dv, own.v);
    const long groups = z.H / z.Hk, width = padded<E>(z.Dv);
    for (long h = at.hk * groups; h < (at.hk + 1) * groups && results && piece.queries > 0; h++)
      ask(at, h, k, v, sums, own);
    if (piece.keys == 0) return;
    gemm_tile<Into::add_sum>(MatrixView<E>{sums, z.F, width, width, 1}, {k.data, z.F, piece.keys, 1, k.row},
                             {v.data, piece.keys, width, v.row, 1});
    add_rows<E>(z_of(sums), k, nullptr, piece.keys, z.F);
  }

  // The queries of head h; k (keys, F), v (keys, padded Dv)
  void ask(const PieceAt& at, long h, const Rows<E>& k, const Rows<E>& v, E* sums, const Scratch& own) const {
    const LinearSizes& z = p.sizes;
    const long n = at.piece.queries, keys = at.piece.keys, width = padded<E>(z.Dv);
    const Rows<E> q = queries(at, h);
    to_lanes(own.q, q, n, z.F);
    triangle<E>(own.a, k, own.q, nullptr, keys, z.F);
    invert_denominators(own, z_of(sums), keys);
    gemm_tile<Into::store>(MatrixView<E>{own.o, n, width, width, 1}, {q.data, n, z.F, q.row, 1},
                           {sums, z.F, width, width, 1});
    add_keys(own.o, own.a, v, keys, width);
    E* o = out.o + at.b * p.stride.o.b + h * p.stride.o.h + at.piece.query * p.stride.o.t;
    for (long i = 0; i < n; i++) {
      const Vec<E> inverse(own.inverse[i]);
      for_vectors<E>(z.Dv, [&](long c, auto lanes) {
        (Vec<E>::load(own.o + i * width + c) * inverse).store(o + i * p.stride.o.t + c, lanes);
      });
    }
    if (out.inverse) std::copy_n(own.inverse, n, out.inverse + (at.b * z.H + h) * z.T + at.piece.query);
  }

  // inverse (64) = 1 / (q z + sum_j a_j + epsilon), lane by lane
  void invert_denominators(const Scratch& own, const E* z, long keys) const {
    using V = Vec<E>;
    constexpr long kLanes = V::kLanes, kVectors = kPiece / kLanes;
    V sum[kVectors];
    for (V& each : sum) each = V(E(0));
    for (long f = 0; f < p.sizes.F; f++)
      for (long x = 0; x < kVectors; x++) sum[x] = sum[x] + V(z[f]) * V::load(own.q + f * kPiece + x * kLanes);
    for (long x = 0; x < kVectors && x * kLanes < keys; x++)
      for (long j = 0, end = std::min(keys, (x * kLanes / kStrip + 1) * kStrip); j < end; j++)
        sum[x] = sum[x] + V::load(own.a + j * kPiece + x * kLanes);
    for (long x = 0; x < kVectors; x++) sum[x].store(own.inverse + x * kLanes);
    for (long i = 0; i < kPiece; i++) own.inverse[i] = inverse_of(own.inverse[i], E(p.epsilon));
  }
};

template <class E>
void linear_attention_cpu(const LinearResults<E>& out, const LinearOperands<E>& in, const LinearProblem& p,
                          void* workspace) {
  if (is_for_few_tokens(p)) return linear_few_tokens(out, in, p);
  const Forward<E> forward{out, in, p};
  SweepRun<E, Forward<E>>(forward, p, static_cast<E*>(workspace)).run();
}

template <class E> long workspace_cpu(const LinearProblem& p) {
  if (is_for_few_tokens(p)) return 0;
  const LinearResults<E> out{};
  const LinearOperands<E> in{};
  const Forward<E> forward{out, in, p};
  return SweepRun<E, Forward<E>>::numel(forward, p) * long(sizeof(E));
}

const OnCpu forward{[]<class E>(auto set) {
  set(kernels::linear_attention<E>, linear_attention_cpu<E>);
  set(kernels::linear_attention_workspace<E>, workspace_cpu<E>);
}};

}  // namespace
}  // namespace heed
