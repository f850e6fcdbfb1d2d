// Few queries, as in decoding: there are not enough of them to fill the lanes of a tile, so vectors run along the
// channels, and every query walks over its keys by itself, 64 at a time, with the same online softmax:
//
//   s (count) = k q scale + bias,   top' = max(top, max_r s_r),   p = exp(s - top'),   a = exp(top - top')
//   sum = sum a + sum_r p_r,   o (Dv) = o a + sum_r p_r v_r
//
// With an index (plan.h) the 64 keys are gathered from anywhere first: a pattern names those that a query looks at.
#include "attention/engines/cpu/softmax_few.h"

#include "attention/engines/cpu/softmax_tile.h"
#include "tensor/cpu/products/small_matmul.h"

namespace heed {
namespace {

// s (count) = factor * k (count, D) q (D); k_row: elements from one key to the next
template <class E> void scores(E* s, const E* q, const E* k, long k_row, long count, long D, E factor) {
  small_matmul(MatrixView<E>{s, 1, count, count, 1}, {q, 1, D, D, 1}, {k, D, count, 1, k_row});
  for_vectors<E>(count, [&](long j, auto n) { (Vec<E>::load(s + j, n) * factor).store(s + j, n); });
}

// o (N vectors) = change * o + p (count) v (count, N vectors). N sums at a time: one alone would wait for itself.
template <long N, bool some_hidden, class E>
void collect_wide(E* o, E change, const E* p, const E* v, long v_row, long count) {
  constexpr long kLanes = Vec<E>::kLanes;
  Vec<E> sums[N];
  for (long k = 0; k < N; k++) sums[k] = Vec<E>::load(o + k * kLanes) * change;
  for (long j = 0; j < count; j++)
    if (!some_hidden || p[j] != 0)
      for (long k = 0; k < N; k++) sums[k] = sums[k] + Vec<E>(p[j]) * Vec<E>::load(v + j * v_row + k * kLanes);
  for (long k = 0; k < N; k++) sums[k].store(o + k * kLanes);
}

// o (Dv) = change * o + p (count) v (count, Dv). With some hidden: what has no weight is not even looked at, as it may
// be anything.
template <bool some_hidden, class E>
void collect(E* o, E change, const E* p, const E* v, long v_row, long count, long Dv) {
  constexpr long N = 8, wide = N * Vec<E>::kLanes;
  for (; Dv >= wide; Dv -= wide, o += wide, v += wide) collect_wide<N, some_hidden>(o, change, p, v, v_row, count);
  for_vectors<E>(Dv, [&](long c, auto n) {
    Vec<E> sum = Vec<E>::load(o + c, n) * change;
    for (long j = 0; j < count; j++)
      if (!some_hidden || p[j] != 0) sum = sum + Vec<E>(p[j]) * Vec<E>::load(v + j * v_row + c, n);
    sum.store(o + c, n);
  });
}

template <class E> E one_exp2(E x) { return maths::exp2_negative(Vec<E>(x)).raw[0]; }

// Query i of head h of sample b, and what it has collected of the keys it has looked at so far.
template <class E> class OneQuery {
 public:
  OneQuery(E* o, const SoftmaxOperands<E>& operands, const SoftmaxProblem& problem, long sample, long head, long row)
      : in(operands),
        p(problem),
        b(sample),
        h(head),
        i(row),
        query(in.q + b * p.stride.q.b + h * p.stride.q.h + i * p.stride.q.t),
        keys(in.k + b * p.stride.k.b + key_head() * p.stride.k.h),
        values(in.v + b * p.stride.v.b + key_head() * p.stride.v.h),
        index(p.seen.key_index.of(b, h)),
        seen(p.seen.range(b, h, i)),
        label(p.seen.query_labels ? p.seen.query_labels.of(b)[i] : 0),
        key_labels(p.seen.key_labels.of(b)),
        allow(p.seen.allow ? p.seen.allow.of(b, h) + i * p.seen.allow_i : nullptr),
        at(p, b),
        plain(!in.by_distance && !in.by_query && !key_labels && !allow && !index),
        out(o + b * p.stride.o.b + h * p.stride.o.h + i * p.stride.o.t) {
    std::fill_n(out, p.sizes.Dv, E(0));
  }

  // Looks at all the keys that it may see.
  void run() {
    const long first = std::max(0L, seen.first), end = std::min(p.sizes.S, seen.last + 1);
    if (index) return run_planned(p.seen.plan, 0, p.sizes.S);  // rows are no tokens: each is asked for its own
    if (p.seen.plan) return run_planned(p.seen.plan, first, end);
    for (long j = first; j < end; j += kTile) look({j, std::min(kTile, end - j)}, nullptr);
  }

  // o = collected / sum; returns L, -infinity if nothing was seen.
  E finish() {
    const E factor = sum == 0 ? E(0) : 1 / sum;
    for (long c = 0; c < p.sizes.Dv; c++) out[c] *= factor;
    return sum == 0 ? kNothing : (top + std::log2(sum)) * E(kLog2);
  }

 private:
  static constexpr E kNothing = -std::numeric_limits<E>::infinity();

  long key_head() const { return h / (p.sizes.H / p.sizes.Hk); }

  // The rows of keys first .. end in the plan of the first tile of queries
  void run_planned(const kernels::PlanTiles& plan, long first, long end) {
    const long row = plan.row(b, h, 0);
    for (long e = plan.begin[row]; e < plan.begin[row + 1]; e++) {
      const long tile = plan.key_tile[e] * kTile, from = std::max(first, tile), to = std::min(end, tile + kTile);
      const uint64_t* bits = plan.words(e);
      if (from < to) look({from, to - from, index ? index + from : nullptr}, bits ? bits + from - tile : nullptr);
    }
  }

  // Up to 64 keys: a step of the online softmax. bits (count): of the plan, bit i for this query; or null
  void look(const TileRows& tile, const uint64_t* bits) {
    alignas(64) E s[kTile];
    alignas(64) E own[kMostHeadChannels * kTile];  // rows that are gathered
    const long count = tile.count;
    const Rows<E> ks = rows_at(tile, keys, p.stride.k.t, p.sizes.D, own);
    scores(s, query, ks.data, ks.row, count, p.sizes.D, E(p.scale * kLog2e));
    if (!plain) add_biases_and_hide(s, tile);
    for (long r = 0; r < count && bits; r++)
      if (!(bits[r] >> i & 1)) s[r] = kNothing;
    const E most = std::max(top, max_vectors(s, count)), reference = most == kNothing ? E(0) : most;
    const E change = top == kNothing ? E(1) : one_exp2(top - reference);
    for_vectors<E>(count, [&](long r, auto n) {
      maths::exp2_negative(Vec<E>::load(s + r, n, kNothing) - reference).store(s + r, n);
    });
    sum = sum * change + sum_vectors<E>(count, [&](long r, auto n) { return Vec<E>::load(s + r, n); });
    const Rows<E> vs = rows_at(tile, values, p.stride.v.t, p.sizes.Dv, own);
    if (plain && !bits)
      collect<false>(out, change, s, vs.data, vs.row, count, p.sizes.Dv);
    else
      collect<true>(out, change, s, vs.data, vs.row, count, p.sizes.Dv);
    top = most;
  }

  // s (count), the scores of the tile's keys; a hidden one may be NaN
  void add_biases_and_hide(E* s, const TileRows& tile) const {
    for (long r = 0; r < tile.count; r++) {
      const long j = tile.at(r);
      const E more = sees(j) ? bias(j) * E(kLog2e) : kNothing;
      s[r] = more == kNothing ? kNothing : s[r] + more;
    }
  }

  bool sees(long j) const {  // j: a token; -1 is none
    return j >= 0 && j >= seen.first && j <= seen.last && (!key_labels || key_labels[j] == label) &&
           (!allow || allow[j * p.seen.allow_j]);
  }

  E bias(long j) const {
    const SoftmaxSizes& z = p.sizes;
    E total = 0;
    const long distance = at.key(j) - at.query(i);
    if (in.by_distance) total += in.by_distance[h * p.distances + p.zero - distance];
    if (!in.by_query) return total;
    return total +
           in.by_query[((b * z.H + h) * z.T + i) * (2 * p.clip + 1) + std::clamp(distance, -p.clip, p.clip) + p.clip];
  }

  const SoftmaxOperands<E>& in;
  const SoftmaxProblem& p;
  const long b, h, i;
  const E *query, *keys, *values;  // (D), (S, D) and (S, Dv) by their strides
  const int32_t* index;            // (S): the token in each row of keys, -1: none; null: row j is token j
  const KeyRange seen;             // of tokens
  const int32_t label;             // only keys of the same
  const int32_t* key_labels;       // (S) or null
  const bool* allow;               // (S) by its stride, or null
  const Standing at;               // positions, for the biases
  const bool plain;                // neither biases nor anything but a range decides
  E* out;                          // (Dv): collected so far
  E top = kNothing, sum = 0;       // the running maximum and sum, in units of log 2
};

}  // namespace

bool is_for_few_queries(const SoftmaxProblem& p) {
  constexpr long kFew = 4;
  return p.sizes.T <= kFew && p.keep.threshold == 0 && !p.seen.query_index;
}

template <class E> void softmax_few_queries(E* o, E* L, const SoftmaxOperands<E>& in, const SoftmaxProblem& p) {
  const long H = p.sizes.H, T = p.sizes.T;
  parallel_for(p.sizes.B * H * T, rows_grain(2 * p.sizes.S * p.sizes.D), [&](long begin, long end) {
    for (long task = begin; task < end; task++) {
      OneQuery<E> query(o, in, p, task / T / H, task / T % H, task % T);
      query.run();
      L[task] = query.finish();
    }
  });
}

template void softmax_few_queries(float*, float*, const SoftmaxOperands<float>&, const SoftmaxProblem&);
template void softmax_few_queries(double*, double*, const SoftmaxOperands<double>&, const SoftmaxProblem&);

}  // namespace heed
