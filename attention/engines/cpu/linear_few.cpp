// Few tokens, as in decoding: nothing is cut into pieces, and vectors run along the channels. A token takes one walk
// over the sums, (F, Dv + 1) with z as the last column, which are changed in place:
//
//   row_f += k_f (v, 1),   (o, den) += q_f row_f,   at the end o /= den
//
// Time and memory do not depend on how many tokens were before.
#include "attention/engines/cpu/linear_few.h"

#include <algorithm>

#include "attention/engines/cpu/linear_sweep.h"
#include "tensor/cpu/simd.h"

namespace heed {
namespace {

using kernels::LinearOperands;
using kernels::LinearPiece;
using kernels::LinearProblem;
using kernels::LinearResults;

template <class E> struct Token {
  const E *q, *k, *v;  // (F), (F) and (Dv); k null: there is no key, and the sums stay as they are
};

// N vectors of channels of the rows (F, Dv + 1): o = q (rows + k v), which are kept in `to` if there is a key
template <class E, long N> void walk_rows(E* o, E* to, const E* rows, const Token<E>& x, long F, long row) {
  constexpr long kLanes = Vec<E>::kLanes;
  Vec<E> sum[N], value[N];
  for (long n = 0; n < N; n++) sum[n] = Vec<E>(E(0)), value[n] = x.k ? Vec<E>::load(x.v + n * kLanes) : Vec<E>(E(0));
  for (long f = 0; f < F; f++)
    for (long n = 0; n < N; n++) {
      Vec<E> s = Vec<E>::load(rows + f * row + n * kLanes);
      if (x.k) (s = s + Vec<E>(x.k[f]) * value[n]).store(to + f * row + n * kLanes);
      sum[n] = sum[n] + Vec<E>(x.q[f]) * s;
    }
  for (long n = 0; n < N; n++) sum[n].store(o + n * kLanes);
}

// The same for all channels, the last ones one by one, with the ones that belong to z: returns the denominator.
template <class E> E walk_sums(E* o, E* to, const E* rows, const Token<E>& x, long F, long Dv) {
  constexpr long kLanes = Vec<E>::kLanes, N = 4;
  const long row = Dv + 1;
  const auto from = [&x](long c) { return Token<E>{x.q, x.k, x.k ? x.v + c : nullptr}; };
  long c = 0;
  for (; c + N * kLanes <= Dv; c += N * kLanes) walk_rows<E, N>(o + c, to + c, rows + c, from(c), F, row);
  for (; c + kLanes <= Dv; c += kLanes) walk_rows<E, 1>(o + c, to + c, rows + c, from(c), F, row);
  E den = 0;
  for (; c <= Dv; c++) {
    E sum = 0;
    for (long f = 0; f < F; f++) {
      E s = rows[f * row + c];
      if (x.k) to[f * row + c] = s += x.k[f] * (c < Dv ? x.v[c] : E(1));
      sum += x.q[f] * s;
    }
    (c < Dv ? o[c] : den) = sum;
  }
  return den;
}

template <class E> struct Few {
  const LinearResults<E>& out;
  const LinearOperands<E>& in;
  const LinearProblem& p;

  // All tokens of a head of keys.
  void run(long b, long hk) const {
    const long numel = p.sizes.F * (p.sizes.Dv + 1), at = (b * p.sizes.Hk + hk) * numel;
    E* to = out.sums ? out.sums + at : nullptr;
    if (to && !in.sums) std::fill_n(to, numel, E(0));
    if (to && in.sums && in.sums != out.sums) std::copy_n(in.sums + at, numel, to);
    const LinearProblem::List list = p.of(b);
    for (long i = 0; i < list.count; i++) {
      const LinearPiece& piece = list.data[i];
      if (to && piece.fresh) std::fill_n(to, numel, E(0));
      for (long r = 0; r < std::max(piece.keys, piece.queries); r++)
        token(PieceAt{b, hk, piece}, r, to, to ? to : in.sums + at);
    }
  }

  // Token r of a piece: its key is added on the first query's walk over the sums.
  void token(const PieceAt& at, long r, E* to, const E* sums) const {
    const kernels::LinearSizes& z = p.sizes;
    const auto& s = p.stride;
    const auto& [b, hk, piece] = at;
    const bool key = r < piece.keys;
    Token<E> x{.q = nullptr,
               .k = key ? in.k + b * s.k.b + hk * s.k.h + (piece.key + r) * s.k.t : nullptr,
               .v = key ? in.v + b * s.v.b + hk * s.v.h + (piece.key + r) * s.v.t : nullptr};
    if (r >= piece.queries) return add(to, x);
    const long i = piece.query + r, groups = z.H / z.Hk;
    for (long h = hk * groups; h < (hk + 1) * groups; h++, x.k = nullptr) {
      x.q = in.q + b * s.q.b + h * s.q.h + i * s.q.t;
      E* o = out.o + b * s.o.b + h * s.o.h + i * s.o.t;
      const E inverse = inverse_of(walk_sums(o, to, sums, x, z.F, z.Dv), E(p.epsilon));
      for (long c = 0; c < z.Dv; c++) o[c] *= inverse;
      if (out.inverse) out.inverse[(b * z.H + h) * z.T + i] = inverse;
    }
  }

  void add(E* to, const Token<E>& x) const {
    const long Dv = p.sizes.Dv;
    for (long f = 0; f < p.sizes.F; f++, to += Dv + 1) {
      for (long c = 0; c < Dv; c++) to[c] += x.k[f] * x.v[c];
      to[Dv] += x.k[f];
    }
  }
};

}  // namespace

bool is_for_few_tokens(const LinearProblem& p) {
  constexpr long kFew = 4;
  const bool only_asks = p.begins_with_sums && p.sizes.S == 0;
  return p.sizes.T <= kFew && p.sizes.S <= kFew && (p.gives_sums || only_asks);
}

template <class E>
void linear_few_tokens(const LinearResults<E>& out, const LinearOperands<E>& in, const LinearProblem& p) {
  const kernels::LinearSizes& z = p.sizes;
  const long work = (z.H / z.Hk * z.T + z.S) * z.F * (z.Dv + 1);
  parallel_for(z.B * z.Hk, rows_grain(work), [&](long begin, long end) {
    const Few<E> few{out, in, p};
    for (long head = begin; head < end; head++) few.run(head / z.Hk, head % z.Hk);
  });
}

template void linear_few_tokens(const LinearResults<float>&, const LinearOperands<float>&, const LinearProblem&);
template void linear_few_tokens(const LinearResults<double>&, const LinearOperands<double>&, const LinearProblem&);

}  // namespace heed
