// Few queries, as in decoding: there are not enough of them to fill the lanes of a tile, so vectors run along the
// channels, and every query walks over its keys by itself, 64 at a time, with the same online softmax.
#include "attention/engines/cpu/softmax_few.h"

#include "attention/engines/cpu/softmax_tile.h"
#include "tensor/cpu/products/small_matmul.h"

namespace heed {
namespace {

// s (count) = factor * k (count, D) q (D)
template <class E> void scores(E* s, const E* q, const E* k, long k_row, long count, long D, E factor) {
  small_matmul(s, count, q, D, 1, k, k_row, 1, count, D);
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

// What is added to the score of query i and key j; -infinity if it is not visible, whatever its range says.
template <class E> struct Addend {
  const E *by_distance, *by_query;
  const SoftmaxSizes& z;
  long b, h, i;

  E operator()(long j) const {
    if (z.query_labels && z.query_labels[b * z.query_labels_b + i] != z.key_labels[b * z.key_labels_b + j])
      return -std::numeric_limits<E>::infinity();
    if (z.allow && !z.allow[b * z.allow_b + h * z.allow_h + i * z.allow_i + j * z.allow_j])
      return -std::numeric_limits<E>::infinity();
    E bias = 0;
    if (by_distance) bias += by_distance[h * (z.T + z.S - 1) + i - j + z.S - 1];
    if (by_query)
      bias += by_query[((b * z.H + h) * z.T + i) * (2 * z.clip + 1) + std::clamp(j - (i + z.S - z.T), -z.clip, z.clip) +
                       z.clip];
    return bias * E(kLog2e);
  }
};

// look(key, count, bits) for the keys first .. end in the plan of the first tile of queries
template <class F> void for_planned(const Plan& plan, long b, long h, long first, long end, F&& look) {
  const size_t row = size_t(plan.row(b, h, 0));
  for (size_t e = size_t(plan.begin[row]); e < size_t(plan.begin[row + 1]); e++) {
    const long tile = plan.key_tile[e] * kTile, from = std::max(first, tile), to = std::min(end, tile + kTile);
    const uint64_t* bits =
        plan.bits[e] == Plan::kFull ? nullptr : plan.tiles[size_t(plan.bits[e])].data() + from - tile;
    if (from < to) look(from, to - from, bits);
  }
}

}  // namespace

template <class E>
void softmax_one_query(E* o, E* L, const E* q, const E* k, const E* v, const E* by_distance, const E* by_query,
                       const SoftmaxSizes& z, long b, long h, long i) {
  constexpr E nothing = -std::numeric_limits<E>::infinity();
  const long hk = h / (z.H / z.Hk), first = std::max(0, z.first[b * z.range_b + i]);
  const long end = std::min(z.S, long(z.last[b * z.range_b + i]) + 1);
  const E *query = q + b * z.q.b + h * z.q.h + i * z.q.t, *keys = k + b * z.k.b + hk * z.k.h;
  const E* values = v + b * z.v.b + hk * z.v.h;
  const Addend<E> addend{by_distance, by_query, z, b, h, i};
  const bool plain = !by_distance && !by_query && !z.query_labels && !z.allow;
  E* out = o + b * z.o.b + h * z.o.h + i * z.o.t;
  alignas(64) E s[kTile];
  E top = nothing, sum = 0;
  std::fill_n(out, z.Dv, E(0));
  const auto look = [&](long j, long count, const uint64_t* bits) {
    scores(s, query, keys + j * z.k.t, z.k.t, count, z.D, E(z.scale * kLog2e));
    for (long r = 0; r < count && !plain; r++) {
      const E more = addend(j + r);
      s[r] = more == nothing ? nothing : s[r] + more;  // a hidden score may be NaN
    }
    for (long r = 0; r < count && bits; r++)
      if (!(bits[r] >> i & 1)) s[r] = nothing;
    const E most = std::max(top, max_vectors(s, count)), reference = most == nothing ? E(0) : most;
    const E change = top == nothing ? E(1) : one_exp2(top - reference);
    for_vectors<E>(count, [&](long r, auto n) {
      maths::exp2_negative(Vec<E>::load(s + r, n, nothing) - reference).store(s + r, n);
    });
    sum = sum * change + sum_vectors<E>(count, [&](long r, auto n) { return Vec<E>::load(s + r, n); });
    if (plain && !bits)
      collect<false>(out, change, s, values + j * z.v.t, z.v.t, count, z.Dv);
    else
      collect<true>(out, change, s, values + j * z.v.t, z.v.t, count, z.Dv);
    top = most;
  };
  if (z.plan)
    for_planned(*z.plan, b, h, first, end, look);
  else
    for (long j = first; j < end; j += kTile) look(j, std::min(kTile, end - j), nullptr);
  const E factor = sum == 0 ? E(0) : 1 / sum;
  for (long c = 0; c < z.Dv; c++) out[c] *= factor;
  L[(b * z.H + h) * z.T + i] = sum == 0 ? nothing : (top + std::log2(sum)) * E(kLog2);
}

template void softmax_one_query(float*, float*, const float*, const float*, const float*, const float*, const float*,
                                const SoftmaxSizes&, long, long, long);
template void softmax_one_query(double*, double*, const double*, const double*, const double*, const double*,
                                const double*, const SoftmaxSizes&, long, long, long);

}  // namespace heed
