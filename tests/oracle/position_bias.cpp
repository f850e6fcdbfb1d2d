#include "tests/oracle/position_bias.h"

#include <algorithm>
#include <cmath>

#include "autograd/ops/elementwise.h"
#include "autograd/ops/gather.h"
#include "autograd/ops/matmul.h"
#include "autograd/ops/views.h"
#include "tensor/create.h"

using namespace heed;

namespace {

// ALiBi: slopes 2^(-8 (h + 1) / H) for a power of two. For other H: those of the power of two below it, then every
// second one of those of the power of two above it.
double slope(long h, long H) {
  long below = 1;
  while (2 * below <= H) below *= 2;
  if (h < below) return std::pow(2.0, -8.0 * double(h + 1) / double(below));
  const long member = 2 * (h - below);  // of the slopes for 2 * below
  return std::pow(2.0, -8.0 * double(member + 1) / double(2 * below));
}

// T5: 32 buckets, 128 is the last distance told apart. A causal mask spends all on the past, otherwise the second half
// is for keys after the query. In its part the first half of the buckets are exact distances, the rest grows by
// logarithm.
long bucket(long i, long j, bool causal) {
  const long count = causal ? 32 : 16, exact = count / 2, start = !causal && j > i ? 16 : 0;
  const long away = causal ? (j < i ? i - j : 0) : std::labs(i - j);
  if (away < exact) return start + away;
  const double share = std::log(double(away) / double(exact)) / std::log(128.0 / double(exact));
  return start + std::min(exact + long(std::floor(share * double(count - exact))), count - 1);
}

// f(i, j) for the positions of every query and key, row by row
template <class E, class F> std::vector<E> for_all_pairs(long T, long S, F&& f) {
  std::vector<E> all;
  for (long i = S - T; i < S; i++)
    for (long j = 0; j < S; j++) all.push_back(E(f(i, j)));
  return all;
}

Variable alibi(long H, long T, long S, DType dtype) {
  std::vector<double> all;
  for (long h = 0; h < H; h++)
    for (double away : for_all_pairs<double>(T, S, [](long i, long j) { return std::labs(i - j); }))
      all.push_back(-slope(h, H) * away);
  return cast(from_vector(all, {H, T, S}), dtype);
}

// table (32, H)
Variable t5(const Variable& table, bool causal, long T, long S) {
  const auto rows = for_all_pairs<int64_t>(T, S, [&](long i, long j) { return bucket(i, j, causal); });
  const Variable picked = index_select(table, 0, from_vector(rows, {T * S}));
  return permute(reshape(picked, {T, S, table.size(1)}), {2, 0, 1});
}

// q (B, H, T, D), table (2 clip + 1, D): <q_i, r_(j - i)> / sqrt(D), distances beyond clip count as clip
Variable shaw(const Variable& q, const Variable& table, long clip, long S) {
  const long B = q.size(0), H = q.size(1), T = q.size(2);
  const auto rows = for_all_pairs<int64_t>(T, S, [&](long i, long j) { return std::clamp(j - i, -clip, clip) + clip; });
  const Variable products = matmul(q, transpose(table)) * (1 / std::sqrt(double(q.size(3))));
  return gather(products, 3, contiguous(expand(from_vector(rows, {T, S}), {B, H, T, S})));
}

}  // namespace

Variable position_bias(const OracleCase& c, const OracleHeads& heads) {
  const std::string kind = c.options.word("bias");
  const long T = heads.q.size(2), S = heads.k.size(2);
  if (kind == "none" || T * S == 0) return {};
  if (kind == "alibi") return alibi(c.sizes.heads, T, S, c.dtype);
  if (kind == "t5") return t5(c.parameter("core.bias"), c.mask.causal, T, S);
  return shaw(heads.q, c.parameter("core.bias"), c.options.number("clip"), S);
}
