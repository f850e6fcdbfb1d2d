// The definition of the softmax engine's result, by dense matrices and plain ops, and what parts of it make together:
//
//   s = scale q k^T + bias, -infinity where hidden,   L = log sum exp(s),   o = exp(s - L) v
//
// weights_of and softmax_attention_reference say it in ten lines; at_queries and at_keys before them give x itself,
// unless an index puts tokens into other places (plan.h).
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "attention/engines/keep.h"
#include "attention/engines/softmax_engine.h"
#include "attention/heads.h"
#include "autograd/ops/concatenate.h"
#include "autograd/ops/elementwise.h"
#include "autograd/ops/gather.h"
#include "autograd/ops/matmul.h"
#include "autograd/ops/reduce.h"
#include "autograd/ops/views.h"
#include "autograd/ops/where.h"
#include "tensor/copy.h"
#include "tensor/create.h"
#include "tensor/ops/compare.h"

namespace heed {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

// index(b, i, j) of the tokens at every pair of places, (B, H, places, places), and 0 where one is empty.
Tensor pair_index(const Visible& v, const std::function<long(long b, long i, long j)>& index) {
  const long P = v.query_places(), R = v.key_places();
  const PlaceTokens queries(v.query_index), keys(v.key_index);
  std::vector<int64_t> values;
  for (long b = 0; b < v.B; b++)
    for (long h = 0; h < v.H; h++)
      for (long i = 0; i < P; i++)
        for (long j = 0; j < R; j++) {
          const long query = queries.at(b, h, i), key = keys.at(b, h, j);
          values.push_back(query >= 0 && key >= 0 ? index(b, query, key) : 0);
        }
  return from_vector(values, {v.B, v.H, P, R});
}

// x (B, H, tokens, C) -> (B, H, places, C); an empty place has the row of token 0, and nobody sees it
Variable at_places(const Variable& x, const Visible& v, const Tensor& of) {
  const PlaceTokens tokens(of);
  const long places = of.size(-1);
  std::vector<int64_t> rows;
  for (long b = 0; b < v.B; b++)
    for (long h = 0; h < v.H; h++)
      for (long i = 0; i < places; i++) rows.push_back(std::max(0L, tokens.at(b, h, i)));
  const Tensor index = expand(from_vector(rows, {v.B, v.H, places, 1}), {v.B, v.H, places, x.size(3)});
  return gather(x, 2, contiguous(index));
}
Variable at_queries(const Variable& x, const Visible& v) {
  return v.query_index.defined() ? at_places(x, v, v.query_index) : x;
}
Variable at_keys(const Variable& x, const Visible& v) {  // (B, Hk, S, C) -> (B, H, places, C)
  const Variable all = for_all_heads(x, v.H);
  return v.key_index.defined() ? at_places(all, v, v.key_index) : all;
}

// p_i - p_j of query i and key j of a sample
std::function<long(long b, long i, long j)> distance_in(const SoftmaxInputs& in, const Visible& v) {
  if (!in.query_positions.defined()) return [ahead = v.S - v.T](long, long i, long j) { return i + ahead - j; };
  const Tensor queries = expand(in.query_positions, {v.B, v.T}), keys = expand(in.key_positions, {v.B, v.S});
  return [q = queries.to_vector<int32_t>(), k = keys.to_vector<int32_t>(), T = v.T, S = v.S](long b, long i, long j) {
    return long(q[size_t(b * T + i)]) - k[size_t(b * S + j)];
  };
}

Variable biased(Variable s, const SoftmaxInputs& in, const Visible& v) {
  const long B = v.B, H = v.H, pairs = v.query_places() * v.key_places();
  const auto distance = distance_in(in, v);
  if (in.by_distance.defined()) {
    const long entries = in.by_distance.size(1), zero = in.query_positions.defined() ? entries / 2 : v.T - 1;
    const auto entry = [&](long b, long i, long j) { return distance(b, i, j) + zero; };
    const Tensor index = reshape(pair_index(v, entry), {B, H, pairs});
    s = s + reshape(gather(expand(unsqueeze(in.by_distance, 0), {B, H, entries}), 2, index), s.shape());
  }
  if (in.by_query.defined()) {
    const long c = in.by_query.size(3) / 2;
    const Tensor index =
        pair_index(v, [&](long b, long i, long j) { return std::clamp(-distance(b, i, j), -c, c) + c; });
    s = s + gather(at_queries(in.by_query, v), 3, index);
  }
  return s;
}

// What dropout keeps of the pairs of places
Tensor kept(const Visible& v, const SoftmaxOptions& options) {
  const RandomKey key = key_from_head(options.key, options.first_head);
  const Tensor tokens = attention_keep({v.B, v.H, v.T, v.S}, key, options.dropout);
  if (!v.indexed()) return tokens;
  const Tensor index = pair_index(v, [&](long, long i, long j) { return i * v.S + j; });
  return reshape(gather(reshape(tokens, {v.B, v.H, v.T * v.S}), 2, reshape(index, {v.B, v.H, -1})), index.shape());
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
  const Tensor hidden = logical_not(v.dense());  // first: it checks the plan, which what follows reads
  const double scale = options.scale != 0 ? options.scale : 1 / std::sqrt(double(std::max(1L, in.q.size(3))));
  const Variable s = biased(matmul(at_queries(in.q, v), transpose(at_keys(in.k, v))) * scale, in, v);
  return normalised(masked_fill(s, hidden, -kInf));
}

}  // namespace

// On the host, wherever the inputs are
Tensor softmax_attention_weights(const SoftmaxInputs& in, const Visible& v, const SoftmaxOptions& options) {
  const auto here = [](const Variable& x) { return x.defined() ? Variable(to(x.value(), cpu)) : x; };
  const auto place = [](const Tensor& x) { return x.defined() ? to(x, cpu) : x; };
  const SoftmaxInputs own{here(in.q),
                          here(in.k),
                          here(in.v),
                          here(in.by_distance),
                          here(in.by_query),
                          place(in.query_positions),
                          place(in.key_positions)};
  return weights_of(own, v.on(cpu), options).weights.value();
}

SoftmaxOutputs softmax_attention_reference(const SoftmaxInputs& in, const Visible& v, const SoftmaxOptions& options) {
  Normalised rows = weights_of(in, v, options);
  if (options.dropout > 0)
    rows.weights = masked_fill(rows.weights * (1 / (1 - options.dropout)), logical_not(kept(v, options)), 0);
  return {matmul(rows.weights, at_keys(in.v, v)), squeeze(rows.L, -1)};
}

SoftmaxOutputs merge_reference(const std::vector<SoftmaxOutputs>& parts) {
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
