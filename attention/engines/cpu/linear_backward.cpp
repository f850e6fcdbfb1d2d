// The backward pass of linear attention, in two sweeps over the pieces. With o = (q S) / den every query has
//
//   N = dy / den   (Dv)   the gradient of its numerator,      e = -<dy, o> / den   that of its denominator
//
// Queries look back, so a sweep forwards makes S and z again, as in forward, and with them dq; keys are looked at from
// behind, so a sweep backwards adds up what the queries ask for, R and r, and with them makes dk and dv:
//
//   dq_i = S_i N_i + e_i z_i,         S_i = sum_{j <= i} k_j v_j^T,   z_i = sum_{j <= i} k_j
//   dk_j = R_j v_j + r_j,             R_j = sum_{i >= j} q_i N_i^T,   r_j = sum_{i >= j} e_i q_i
//   dv_j = R_j^T k_j
//
// S is not kept by forward and not taken back by subtraction, which would lose digits: sums only grow. Inside of a
// piece the pairs are taken one by one: x_ji = <v_j, N_i> + e_i is the gradient of a_ji = <q_i, k_j>.
#include "attention/engines/cpu/linear_sweep.h"
#include "attention/engines/cpu/linear_tile.h"

namespace heed {
namespace {

using kernels::LinearGradients;
using kernels::LinearSaved;
using kernels::LinearSizes;

template <class E> struct Scratch {
  E *N, *lanes_N, *e;        // (64, padded Dv), N^T (Dv, 64), (64)
  E *lanes_q, *a, *x;        // q^T (F, 64), (keys, 64), (keys, 64)
  E *rows, *dq_dk, *dv, *R;  // (64, padded F) twice, (64, padded Dv), (F, padded Dv)
  Scratch(E* memory, const LinearSizes& z) {
    Carver<E> carver(memory);
    for (E** each : {&N, &dv}) *each = carver.take(kPiece * padded<E>(z.Dv));
    for (E** each : {&rows, &dq_dk}) *each = carver.take(kPiece * padded<E>(z.F));
    for (E** each : {&a, &x}) *each = carver.take(kPiece * kPiece);
    lanes_N = carver.take(kPiece * z.Dv);
    lanes_q = carver.take(kPiece * z.F);
    e = carver.take(kPiece);
    R = carver.take(z.F * padded<E>(z.Dv));
  }
  static long numel(const LinearSizes& z) {
    return kPiece * (2 * padded<E>(z.Dv) + 2 * padded<E>(z.F) + 2 * kPiece + z.Dv + z.F + 1) +
           Carver<E>::rounded(z.F * padded<E>(z.Dv));
  }
};

// What both sweeps need. Their sums are (Dv + 1, padded F): S^T or R^T, and z or r as the last row.
template <class E> struct Sweeping {
  const LinearGradients<E>& grads;
  const E* dy;
  const LinearSaved<E>& saved;
  const LinearProblem& p;

  long width() const { return padded<E>(p.sizes.F); }
  long sums() const { return (p.sizes.Dv + 1) * width(); }
  long scratch() const { return Scratch<E>::numel(p.sizes); }
  E* last_row(E* sums) const { return sums + p.sizes.Dv * width(); }
  void end(long, long, E*) const {}

  Rows<E> queries(const PieceAt& at, long h) const {
    const auto& [s_b, s_h, s_t] = p.stride.q;
    return {saved.q + at.b * s_b + h * s_h + at.piece.query * s_t, s_t};
  }
  Rows<E> keys(const PieceAt& at) const {
    const auto& [s_b, s_h, s_t] = p.stride.k;
    return {saved.k + at.b * s_b + at.hk * s_h + at.piece.key * s_t, s_t};
  }
  Rows<E> values(const PieceAt& at) const {
    const auto& [s_b, s_h, s_t] = p.stride.v;
    return {saved.v + at.b * s_b + at.hk * s_h + at.piece.key * s_t, s_t};
  }

  void expect(const PieceAt& at, bool) const {
    const long h = at.hk * (p.sizes.H / p.sizes.Hk), F = p.sizes.F, Dv = p.sizes.Dv, row = p.stride.o.t;
    const long o = at.b * p.stride.o.b + h * p.stride.o.h + at.piece.query * row;
    fetch(keys(at), at.piece.keys, F);
    fetch(values(at), at.piece.keys, Dv);
    fetch(queries(at, h), at.piece.queries, F);
    fetch<E>({saved.o + o, row}, at.piece.queries, Dv);
    fetch<E>({dy + o, row}, at.piece.queries, Dv);
  }

  // N (n, padded Dv) and e (64) of the queries of head h
  void prepare(const Scratch<E>& own, const PieceAt& at, long h) const {
    const LinearSizes& z = p.sizes;
    const long row = p.stride.o.t, begin = at.b * p.stride.o.b + h * p.stride.o.h + at.piece.query * row;
    const E* inverse = saved.inverse + (at.b * z.H + h) * z.T + at.piece.query;
    std::fill_n(own.e, kPiece, E(0));
    for (long i = 0; i < at.piece.queries; i++) {
      const E *d = dy + begin + i * row, *o = saved.o + begin + i * row;
      E* N = own.N + i * padded<E>(z.Dv);
      own.e[i] = -inverse[i] * sum_vectors<E>(z.Dv, [&](long c, auto lanes) {
        const Vec<E> here = Vec<E>::load(d + c, lanes);
        (here * Vec<E>(inverse[i])).store(N + c);
        return here * Vec<E>::load(o + c, lanes);
      });
    }
  }

  // x (keys, 64) from what was prepared
  void pair_gradients(const Scratch<E>& own, const Rows<E>& v, long n) const {
    to_lanes<E>(own.lanes_N, {own.N, padded<E>(p.sizes.Dv)}, n, p.sizes.Dv);
    triangle<E>(own.x, v, own.lanes_N, own.e, n, p.sizes.Dv);
  }

  // sums += (x, 1)^T y: x (n, Dv), y (n, padded F); factor (n) takes the place of the ones, or null
  void add(E* sums, const Rows<E>& x, const Rows<E>& y, const E* factor, long n) const {
    const long Dv = p.sizes.Dv;
    gemm_tile<Into::add_sum>(MatrixView<E>{sums, Dv, width(), width(), 1}, {x.data, Dv, n, 1, x.row},
                             {y.data, n, width(), y.row, 1});
    add_rows(last_row(sums), y, factor, n, width());
  }

  // to (n, padded F) = x (n, Dv) sums + factor (n) last row; factor null: 1
  void ask(E* to, E* sums, const Rows<E>& x, const E* factor, long n) const {
    const E* last = last_row(sums);
    for (long i = 0; i < n; i++)
      for (long f = 0; f < width(); f++) to[i * width() + f] = (factor ? factor[i] : E(1)) * last[f];
    gemm_tile<Into::add>(MatrixView<E>{to, n, width(), width(), 1}, {x.data, n, p.sizes.Dv, x.row, 1},
                         {sums, p.sizes.Dv, width(), width(), 1});
  }
};

// dq, forwards
template <class E> struct QuerySweep : Sweeping<E> {
  static constexpr bool kReverse = false;

  void begin(long b, long hk, E* sums) const {
    const LinearSizes& z = this->p.sizes;
    std::fill_n(sums, this->sums(), E(0));
    if (!this->saved.sums) return;
    const E* from = this->saved.sums + (b * z.Hk + hk) * z.F * (z.Dv + 1);
    transpose_block(sums, this->width(), from, z.Dv + 1, z.Dv + 1, z.F);
  }

  void visit(const PieceAt& at, E* sums, E* memory, bool results) const {
    const LinearSizes& z = this->p.sizes;
    const Scratch<E> own(memory, z);
    const long n = at.piece.queries, groups = z.H / z.Hk, width = this->width();
    const Rows<E> k = whole_rows(this->keys(at), at.piece.keys, z.F, own.rows), v = this->values(at);
    for (long h = at.hk * groups; h < (at.hk + 1) * groups && results && n > 0; h++) {
      this->prepare(own, at, h);
      this->ask(own.dq_dk, sums, {own.N, padded<E>(z.Dv)}, own.e, n);
      if (at.piece.keys > 0) {
        this->pair_gradients(own, v, n);
        add_keys(own.dq_dk, own.x, k, n, width);
      }
      const auto& [s_b, s_h, s_t] = this->p.stride.dq;
      store_rows(this->grads.dq + at.b * s_b + h * s_h + at.piece.query * s_t, s_t, own.dq_dk, n, z.F);
    }
    if (at.piece.keys > 0) this->add(sums, v, k, nullptr, at.piece.keys);
  }
};

// dk and dv, backwards
template <class E> struct KeySweep : Sweeping<E> {
  static constexpr bool kReverse = true;

  void begin(long, long, E* sums) const { std::fill_n(sums, this->sums(), E(0)); }

  void visit(const PieceAt& at, E* sums, E* memory, bool results) const {
    const LinearSizes& z = this->p.sizes;
    const Scratch<E> own(memory, z);
    const long n = at.piece.queries, keys = results ? at.piece.keys : 0, groups = z.H / z.Hk;
    const Rows<E> k = this->keys(at), v = this->values(at);
    if (keys > 0) ask_both(own, sums, k, v, keys);
    for (long h = at.hk * groups; h < (at.hk + 1) * groups && n > 0; h++) {
      const Rows<E> q = whole_rows(this->queries(at, h), n, z.F, own.rows), N{own.N, padded<E>(z.Dv)};
      this->prepare(own, at, h);
      if (keys > 0) {
        this->pair_gradients(own, v, n);
        to_lanes(own.lanes_q, q, n, z.F);
        triangle<E>(own.a, k, own.lanes_q, nullptr, n, z.F);
        add_queries(own.dq_dk, own.x, q, n, this->width());
        add_queries(own.dv, own.a, N, n, padded<E>(z.Dv));
      }
      this->add(sums, N, q, own.e, n);
    }
    if (keys > 0) store(at, own);
  }

  // dk and dv, from the queries behind this piece
  void ask_both(const Scratch<E>& own, E* sums, const Rows<E>& k, const Rows<E>& v, long n) const {
    const LinearSizes& z = this->p.sizes;
    const long width = padded<E>(z.Dv);
    this->ask(own.dq_dk, sums, v, nullptr, n);
    if (width != z.Dv) std::fill_n(own.R, z.F * width, E(0));
    transpose_block(own.R, width, sums, this->width(), z.F, z.Dv);
    gemm_tile<Into::store>(MatrixView<E>{own.dv, n, width, width, 1}, {k.data, n, z.F, k.row, 1},
                           {own.R, z.F, width, width, 1});
  }

  void store(const PieceAt& at, const Scratch<E>& own) const {
    const auto &dk = this->p.stride.dk, &dv = this->p.stride.dv;
    const LinearPiece& piece = at.piece;
    store_rows(this->grads.dk + at.b * dk.b + at.hk * dk.h + piece.key * dk.t, dk.t, own.dq_dk, piece.keys,
               this->p.sizes.F);
    store_rows(this->grads.dv + at.b * dv.b + at.hk * dv.h + piece.key * dv.t, dv.t, own.dv, piece.keys,
               this->p.sizes.Dv);
  }
};

template <class E>
void linear_attention_backward_cpu(const LinearGradients<E>& grads, const E* dy, const LinearSaved<E>& saved,
                                   const LinearProblem& p, void* workspace) {
  const QuerySweep<E> queries{{grads, dy, saved, p}};
  const KeySweep<E> keys{{grads, dy, saved, p}};
  SweepRun<E, QuerySweep<E>>(queries, p, static_cast<E*>(workspace)).run();
  SweepRun<E, KeySweep<E>>(keys, p, static_cast<E*>(workspace)).run();
}

template <class E> long workspace_cpu(const LinearProblem& p) {
  const LinearGradients<E> grads{};
  const LinearSaved<E> saved{};
  const KeySweep<E> sweep{{grads, nullptr, saved, p}};  // both sweeps need the same
  return SweepRun<E, KeySweep<E>>::numel(sweep, p) * long(sizeof(E));
}

const OnCpu backward{[]<class E>(auto set) {
  set(kernels::linear_attention_backward<E>, linear_attention_backward_cpu<E>);
  set(kernels::linear_attention_backward_workspace<E>, workspace_cpu<E>);
}};

}  // namespace
}  // namespace heed
