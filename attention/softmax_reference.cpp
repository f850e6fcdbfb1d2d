// The definition of the softmax engine's result, by dense matrices and plain ops, and what parts of it make together.
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "attention/row_engine.h"
#include "attention/softmax_engine.h"
#include "autograd/concatenate.h"
#include "autograd/elementwise.h"
#include "autograd/gather.h"
#include "autograd/matmul.h"
#include "autograd/reduce.h"
#include "autograd/views.h"
#include "autograd/where.h"
#include "tensor/compare.h"
#include "tensor/copy.h"
#include "tensor/create.h"

namespace heed {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

// An index for every pair (T, S), expanded in front to `lead`.
Tensor pair_index(long T, long S, const Shape& lead, const std::function<long(long i, long j)>& index) {
  std::vector<int64_t> values;
  for (long i = 0; i < T; i++)
    for (long j = 0; j < S; j++) values.push_back(index(i, j));
  Shape shape = lead;
  shape.push_back(T), shape.push_back(S);
  return contiguous(expand(from_vector(values, {T, S}), shape));
}

Variable biased(Variable s, const SoftmaxInputs& in, const Visible& v) {
  const long B = v.B, H = v.H, T = v.T, S = v.S;
  if (in.by_distance.defined()) {
    const Tensor index = pair_index(T, S, {H}, [&](long i, long j) { return i - j + S - 1; });
    s = s + reshape(gather(in.by_distance, 1, reshape(index, {H, T * S})), {1, H, T, S});
  }
  if (in.by_query.defined()) {
    const long c = in.by_query.size(3) / 2;
    s = s + gather(in.by_query, 3,
                   pair_index(T, S, {B, H}, [&](long i, long j) { return std::clamp(j - (i + S - T), -c, c) + c; }));
  }
  return s;
}

// log sum exp over the last axis of x, (..., 1), and exp(x - that), zeros where everything is -infinity
struct Normalised {
  Variable L, weights;
};
Normalised normalised(const Variable& x) {
  Shape one = x.shape();
  one[x.dims() - 1] = 1;
  const Tensor top = x.size(-1) == 0 ? full(one, -kInf, x.dtype()) : max(x.value(), {-1}, true);
  const Tensor nothing = equal(top, full({}, -kInf, x.dtype()));
  const Variable e = exp(x - Variable(masked_fill(top, nothing, 0))), total = sum(e, {-1}, true);
  const Variable filled = masked_fill(total, nothing, 1);  // the logarithm of 0 has no gradient
  return {masked_fill(log(filled) + Variable(masked_fill(top, nothing, 0)), nothing, -kInf), e / filled};
}

Normalised weights_of(const SoftmaxInputs& in, const Visible& v, const SoftmaxOptions& options) {
  const double scale = options.scale != 0 ? options.scale : 1 / std::sqrt(double(std::max(1L, in.q.size(3))));
  const Variable s = biased(matmul(in.q, transpose(for_all_heads(in.k, v.H))) * scale, in, v);
  return normalised(masked_fill(s, logical_not(v.dense()), -kInf));
}

}  // namespace

Tensor softmax_attention_weights(const SoftmaxInputs& in, const Visible& v, const SoftmaxOptions& options) {
  return weights_of(in, v, options).weights.value();
}

SoftmaxOutputs softmax_attention_reference(const SoftmaxInputs& in, const Visible& v, const SoftmaxOptions& options) {
  Normalised rows = weights_of(in, v, options);
  const Variable values = for_all_heads(in.v, v.H);
  if (options.dropout > 0) {
    const Tensor keep = attention_keep(rows.weights.shape(), options.key, options.dropout);
    rows.weights = masked_fill(rows.weights * (1 / (1 - options.dropout)), logical_not(keep), 0);
  }
  return {matmul(rows.weights, values), squeeze(rows.L, -1)};
}

Tensor attention_keep(const Shape& shape, const RandomKey& key, double p) {
  return attention_keep(shape, key, p, 0, shape[2]);
}

Tensor attention_keep(const Shape& shape, const RandomKey& key, double p, long begin, long end) {
  const long B = shape[0], H = shape[1], T = shape[2], S = shape[3], threshold = keep_threshold(p);
  Tensor keep = Tensor::empty({B, H, end - begin, S}, boolean);
  bool* out = keep.mutable_data<bool>();
  for (long b = 0; b < B; b++)
    for (long h = 0; h < H; h++)
      for (long i = begin; i < end; i++)
        for (long j = 0; j < S; j++) {
          const Philox4 draw = philox(
              {key.site + uint32_t(h) * 0x9E3779B9u, key.sample + uint32_t(b), uint32_t(i + S - T), uint32_t(j / 8)},
              key.key());
          *out++ = long(draw[size_t(j % 8 / 2)] >> (j % 2 * 16) & 0xffff) >= threshold;
        }
  return keep;
}

SoftmaxOutputs merge(const std::vector<SoftmaxOutputs>& parts) {
  HEED_CHECK(!parts.empty(), "merge", "no parts were given; the rule is at least one");
  std::vector<Variable> logs;
  for (const SoftmaxOutputs& part : parts) logs.push_back(unsqueeze(part.L, -1));
  const Normalised all = normalised(concatenate(logs, -1));
  Variable o;
  for (size_t r = 0; r < parts.size(); r++) {
    const Variable share = parts[r].o * slice(all.weights, -1, long(r), long(r) + 1);
    o = r == 0 ? share : o + share;
  }
  return {o, squeeze(all.L, -1)};
}

}  // namespace heed
