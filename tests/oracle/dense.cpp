#include "tests/oracle/dense.h"

#include <cmath>

#include "autograd/ops/concatenate.h"
#include "autograd/ops/elementwise.h"
#include "autograd/ops/gather.h"
#include "autograd/ops/matmul.h"
#include "autograd/ops/softmax.h"
#include "autograd/ops/views.h"
#include "autograd/ops/where.h"
#include "tensor/create.h"
#include "tensor/ops/compare.h"

using namespace heed;

namespace {

// (B, T, channels) -> (B, heads, T, width): `heads` heads from channel `first` on
Variable heads_at(const Variable& y, long first, long heads, long width) {
  const Variable part = slice(y, 2, first, first + heads * width);
  return permute(reshape(part, {y.size(0), y.size(1), heads, width}), {0, 2, 1, 3});
}

// Head h of H takes head h / (H / Hk) of x.
Variable repeated(const Variable& x, long H) {
  std::vector<int64_t> from;
  for (long h = 0; h < H; h++) from.push_back(h / (H / x.size(1)));
  return x.size(1) == H ? x : index_select(x, 1, from_vector(from, {H}));
}

// Channels c and c + D/2 rotated by the angle t / 10000^(2c/D), t the row's position: x (B, H, T, D)
Variable rotated(const Variable& x) {
  const long T = x.size(2), half = x.size(3) / 2;
  std::vector<double> cosines, sines;
  for (long t = 0; t < T; t++)
    for (long c = 0; c < half; c++) {
      const double angle = double(t) * std::pow(10000.0, -double(c) / double(half));
      cosines.push_back(std::cos(angle)), sines.push_back(std::sin(angle));
    }
  const Variable cosine(cast(from_vector(cosines, {T, half}), x.dtype())),
      sine(cast(from_vector(sines, {T, half}), x.dtype()));
  const Variable a = slice(x, 3, 0, half), b = slice(x, 3, half, 2 * half);
  return concatenate({a * cosine - b * sine, a * sine + b * cosine}, 3);
}

// What a mask says, read once: Tensor::at per pair would take most of the suite's time.
struct MaskReader {
  const Mask& mask;
  long T, S;
  std::vector<int64_t> lengths, segments, ranges;
  std::vector<bool> allow;  // (B, H, T, S)

  MaskReader(const Mask& mask, const Shape& s) : mask(mask), T(s[2]), S(s[3]) {
    if (mask.lengths.defined()) lengths = mask.lengths.to_vector<int64_t>();
    if (mask.segments.defined()) segments = mask.segments.to_vector<int64_t>();
    if (mask.ranges.defined()) ranges = expand(mask.ranges, {s[0], T, 2}).to_vector<int64_t>();
    if (mask.allow.defined()) {
      const auto all = expand(mask.allow, s).to_vector<double>();
      for (double x : all) allow.push_back(x != 0);
    }
  }
  bool sees(long b, long i, long j) const {
    const long at = i + S - T;
    if (mask.causal && j > at) return false;
    if (mask.window_left >= 0 && at - j > mask.window_left) return false;
    if (mask.window_right >= 0 && j - at > mask.window_right) return false;
    if (!lengths.empty() && j >= lengths[size_t(b)]) return false;
    if (!segments.empty() && segments[size_t(b * S + j)] != segments[size_t(b * S + at)]) return false;
    const size_t range = size_t((b * T + i) * 2);
    return ranges.empty() || (j >= ranges[range] && j <= ranges[range + 1]);
  }
};

}  // namespace

Tensor dense_visible(const Mask& mask, const Sees& sees, const Shape& s) {
  const MaskReader reader(mask, s);
  const long B = s[0], H = s[1], T = s[2], S = s[3];
  Tensor seen = Tensor::empty(s, boolean);
  bool* out = seen.mutable_data<bool>();
  for (long b = 0; b < B; b++)
    for (long h = 0; h < H; h++)
      for (long i = 0; i < T; i++)
        for (long j = 0; j < S; j++) {
          const size_t at = size_t(((b * H + h) * T + i) * S + j);
          out[at] = reader.sees(b, i, j) && (reader.allow.empty() || reader.allow[at]) &&
                    (!sees || sees({h, i + S - T, j, S}));
        }
  return seen;
}

OracleHeads dense_heads(const OracleCase& c, const Variable& x, const Variable& source) {
  const MixerOptions& s = c.sizes;
  const Variable w = c.parameter("in.weight"), b = c.parameter("in.bias");
  HEED_CHECK(w.defined(), "oracle", "the mixer has no parameter in.weight; say the whole formula: Oracle::dense");
  const Variable& from = source.defined() ? source : x;
  const Variable own = linear(x, w, b), other = source.defined() ? linear(source, w, b) : own;
  const long queries = s.heads * s.head_width, keys = s.key_heads * s.head_width, values = s.key_heads * s.value_width;
  const long first_value = w.size(0) - values;  // rows of in.weight: queries, keys, values, as far as there are some
  OracleHeads heads{.v = repeated(heads_at(other, first_value, s.key_heads, s.value_width), s.heads)};
  if (first_value == 0) return heads;
  heads.q = heads_at(own, 0, s.heads, s.head_width);
  heads.k =
      first_value == queries ? heads.q : repeated(heads_at(other, queries, s.key_heads, keys / s.key_heads), s.heads);
  if (s.rotary && from.size(1) > 0 && !source.defined()) heads.q = rotated(heads.q), heads.k = rotated(heads.k);
  return heads;
}

Variable dense_products(const OracleHeads& heads) {
  return matmul(heads.q, transpose(heads.k)) * (1 / std::sqrt(double(heads.q.size(3))));
}

// A row of which nothing is seen: softmax gives equal weights, and all of them are taken back.
Variable dense_softmax(const Variable& scores, const Tensor& seen) {
  if (scores.size(3) == 0) return scores;
  constexpr double kHidden = -1e30;
  return softmax(masked_fill(scores, logical_not(seen), kHidden)) * Variable(cast(seen, scores.dtype()));
}

Variable zero_padding(const OracleCase& c, const Variable& y, long S) {
  if (!c.mask.lengths.defined()) return y;
  const long B = y.size(0), T = y.size(1);
  const auto lengths = c.mask.lengths.to_vector<int64_t>();
  std::vector<double> keep;
  for (long t = 0; t < B * T; t++) keep.push_back(t % T + S - T < lengths[size_t(t / T)] ? 1 : 0);
  return y * Variable(cast(from_vector(keep, {B, T, 1}), c.dtype));
}

Variable dense_out(const OracleCase& c, const Variable& o, long S, bool from_source) {
  const long B = o.size(0), H = o.size(1), T = o.size(2), Dv = o.size(3);
  const Variable joined = reshape(permute(o, {0, 2, 1, 3}), {B, T, H * Dv});
  const Variable y = linear(joined, c.parameter("out.weight"), c.parameter("out.bias"));
  return from_source ? y : zero_padding(c, y, S);
}

DenseAttention dense_attention(const Oracle& oracle, const OracleCase& c, const Variable& x, const Variable& source) {
  if (oracle.dense) return oracle.dense(c, x, source);
  const OracleHeads heads = dense_heads(c, x, source);
  const long S = heads.v.size(2);
  Variable scores = oracle.score ? oracle.score(c, heads) : dense_products(heads);
  const Variable bias = oracle.bias ? oracle.bias(c, heads) : Variable();
  if (bias.defined()) scores = scores + bias;
  const Tensor seen = dense_visible(c.mask, oracle.sees ? oracle.sees(c) : Sees(), scores.shape());
  const Variable weights = dense_softmax(scores, seen);
  return {dense_out(c, matmul(weights, heads.v), S, source.defined()), weights};
}

Tensor parameter_of(Module& module, const std::string& path) {
  for (Parameter* p : module.parameters())
    if (p->path == path) return p->value.value();
  return Tensor();
}
