#include "tests/oracle/position_bias.h"

#include <algorithm>
#include <cmath>

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

}  // namespace

double position_bias(const VariantOptions& options, const OracleScore& score) {
  const auto [h, i, j, S] = score.pair;
  const std::string kind = options.word("bias");
  if (kind == "alibi") return -slope(h, score.sizes.heads) * double(std::labs(i - j));
  if (kind == "none") return 0;
  const auto table = [&](long row, long column) { return score.learned[size_t(row * score.shape[1] + column)]; };
  if (kind == "t5") return table(bucket(i, j, score.causal), h);
  const long clip = options.number("clip"), row = std::clamp(j - i, -clip, clip) + clip;  // shaw
  double product = 0;
  for (size_t c = 0; c < score.q.size(); c++) product += score.q[c] * table(row, long(c));
  return product / std::sqrt(double(score.q.size()));
}
