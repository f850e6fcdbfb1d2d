#include "attention/engines/linear_engine.h"

#include <algorithm>
#include <limits>

#include "attention/heads.h"
#include "autograd/ops/concatenate.h"
#include "autograd/ops/elementwise.h"
#include "autograd/ops/matmul.h"
#include "autograd/ops/pad.h"
#include "autograd/ops/reduce.h"
#include "autograd/ops/scan.h"
#include "autograd/ops/triangular.h"
#include "autograd/ops/views.h"
#include "autograd/ops/where.h"
#include "nn/mixing/padding.h"
#include "system/ceil_div.h"
#include "tensor/copy.h"
#include "tensor/create.h"
#include "tensor/ops/compare.h"
#include "tensor/ops/elementwise.h"

namespace heed {
namespace {

constexpr const char* kOp = "linear_attention";

void check(const LinearInputs& in, const LinearOptions& options) {
  const Tensor &q = in.q.value(), &k = in.k.value(), &v = in.v.value();
  check_same_kind(kOp, q, k);
  check_same_kind(kOp, q, v);
  const bool four = q.dims() == 4 && k.dims() == 4 && v.dims() == 4;
  HEED_CHECK(four && k.size(0) == q.size(0) && v.size(0) == q.size(0) && k.size(1) == v.size(1) && k.size(1) > 0 &&
                 q.size(1) % k.size(1) == 0 && k.size(2) == v.size(2) && k.size(3) == q.size(3),
             kOp, "q is ", q.shape(), ", k is ", k.shape(), " and v is ", v.shape(),
             "; they must be (B, H, T, F), (B, Hk, S, F) and (B, Hk, S, Dv), and Hk must divide H");
  HEED_CHECK(options.chunk >= 1 && options.epsilon >= 0, kOp, "chunk is ", options.chunk, " and epsilon is ",
             options.epsilon, "; the rule is chunk >= 1 and epsilon >= 0");
  HEED_CHECK(
      !options.lengths.defined() || (options.lengths.dtype() == i64 && options.lengths.shape() == Shape{k.size(0)}),
      kOp, "lengths is ", options.lengths.shape(), " and k is ", k.shape(), "; it must be i64 (B,)");
}

void check_state(const LinearInputs& in, const LinearOptions& options, const LinearState& state) {
  HEED_CHECK(options.causal && !options.lengths.defined() && in.q.size(2) == in.k.size(2), kOp, "q is ", in.q.shape(),
             " and k is ", in.k.shape(), options.causal ? ", causal" : ", not causal",
             options.lengths.defined() ? ", with lengths" : "",
             "; a state goes on with new tokens only: causal, as many queries as keys, without lengths");
  const Shape want{in.k.size(0), in.k.size(1), in.k.size(3), in.v.size(3) + 1};
  HEED_CHECK(!state.sums.defined() || state.sums.shape() == want, kOp, "the state holds ", state.sums.shape(),
             " and the tokens make ", want, "; it belongs to other sizes. Start a new one");
}

// Zeros in the keys and values of padding: in the values too, since 0 times NaN is NaN.
LinearInputs without_padding(const LinearInputs& in, const Tensor& lengths) {
  if (!lengths.defined()) return in;
  const long B = in.k.size(0), S = in.k.size(2);
  const Tensor padded = reshape(padding(lengths, S, S), {B, 1, S, 1});
  const auto filled = [&](const Variable& x) { return masked_fill(x, expand(padded, x.shape()), 0); };
  return {in.q, filled(in.k), filled(in.v)};
}

Variable with_ones(const Variable& v) { return pad(v, 3, 0, 1, 1); }

// above (..., Dv) / (below (..., 1) + epsilon). Without epsilon a row whose denominator is 0, or so small that its
// inverse may overflow, is zeros and has no gradient.
Variable quotient(const Variable& above, const Variable& below, double epsilon) {
  if (epsilon > 0) return above / (below + epsilon);
  const double least = below.dtype() == f64 ? std::numeric_limits<double>::min() : std::numeric_limits<float>::min();
  const Tensor nothing = less(abs(below.value()), least);
  return masked_fill(above / masked_fill(below, nothing, 1), expand(nothing, above.shape()), 0);
}

// (..., Dv + 1): the last column is the denominator
Variable divided(const Variable& sums, double epsilon) {
  const long Dv = sums.size(-1) - 1;
  return quotient(slice(sums, -1, 0, Dv), slice(sums, -1, Dv, Dv + 1), epsilon);
}

// (B, H, n, C) -> (B, H, chunks, chunk, C), with zeros in front so that it has `length` tokens, and behind to fill a
// chunk
Variable in_chunks(const Variable& x, long length, long chunk) {
  const long chunks = ceil_div(length, chunk);
  const Variable whole = pad(x, 2, length - x.size(2), chunks * chunk - length);
  return reshape(whole, {x.size(0), x.size(1), chunks, chunk, x.size(3)});
}

// What is before each chunk, (B, Hk, chunks, F, Dv + 1), from what each of them adds. Sums begin with the state's.
Variable before_chunks(const Variable& added, LinearState* state) {
  const Shape& s = added.shape();
  const bool goes_on = state && state->sums.defined();
  const Variable start = goes_on ? state->sums : zeros({s[0], s[1], s[3], s[4]}, added.dtype());
  const Variable all = cumsum(concatenate({unsqueeze(start, 2), added}, 2), 2);
  if (state) state->sums = contiguous(select(all.value(), 2, s[2]));
  return slice(all, 2, 0, s[2]);
}

Variable causal_sums(const LinearInputs& in, const LinearOptions& options, LinearState* state) {
  const long H = in.q.size(1), T = in.q.size(2), length = std::max(T, in.k.size(2));
  const long chunk = std::min(options.chunk, length);
  const Variable q = in_chunks(in.q, length, chunk), k = in_chunks(in.k, length, chunk);
  const Variable v = in_chunks(with_ones(in.v), length, chunk);
  const auto for_queries = [H](const Variable& x) {  // (B, Hk, chunks, ...) -> (B, H, chunks, ...)
    return repeat_interleave(x, H / x.size(1), 1);
  };
  const Variable before = for_queries(before_chunks(matmul(transpose(k), v), state));
  const Variable inside = tril(matmul(q, transpose(for_queries(k))));
  const Variable sums = matmul(q, before) + matmul(inside, for_queries(v));
  const Variable flat = reshape(sums, {sums.size(0), H, sums.size(2) * chunk, sums.size(4)});
  return slice(flat, 2, length - T, length);
}

}  // namespace

Variable linear_attention(const LinearInputs& given, const LinearOptions& options, LinearState* state) {
  check(given, options);
  if (state) check_state(given, options, *state);
  const LinearInputs in = without_padding(given, options.lengths);
  const long H = in.q.size(1);
  if (in.q.size(2) == 0 || in.k.size(2) == 0)
    return linear_attention_reference(in, options);  // there is nothing to cut
  if (options.causal) return divided(causal_sums(in, options, state), options.epsilon);
  const Variable sums = matmul(transpose(in.k), with_ones(in.v));  // (B, Hk, F, Dv + 1)
  return divided(matmul(in.q, for_all_heads(sums, H)), options.epsilon);
}

Variable linear_attention_reference(const LinearInputs& given, const LinearOptions& options) {
  check(given, options);
  const LinearInputs in = without_padding(given, options.lengths);
  const long H = in.q.size(1), T = in.q.size(2), S = in.k.size(2);
  Variable a = matmul(in.q, transpose(for_all_heads(in.k, H)));
  if (options.causal) a = tril(a, S - T);
  return quotient(matmul(a, for_all_heads(in.v, H)), sum(a, {-1}, true), options.epsilon);
}

// The exponent is min(x, 0), so that it cannot overflow, and small features keep their bits.
Variable elu_features(const Variable& x) {
  const Variable positive = relu(x);
  return positive + exp(x - positive);
}

Variable relu_features(const Variable& x, double least) { return relu(x) + least; }

}  // namespace heed
