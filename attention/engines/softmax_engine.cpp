#include "attention/engines/softmax_engine.h"

#include <algorithm>
#include <limits>

#include "attention/engines/softmax_call.h"
#include "attention/seeing/pair_count.h"
#include "autograd/ops/rows.h"
#include "autograd/ops/views.h"
#include "autograd/ops/where.h"
#include "tensor/copy.h"
#include "tensor/ops/compare.h"
#include "tensor/ops/indices.h"

namespace heed {
namespace {

constexpr const char* kOp = "softmax_attention";

void check_shapes(const SoftmaxInputs& in, const Visible& v) {
  const Tensor &q = in.q.value(), &k = in.k.value(), &values = in.v.value();
  check_same_kind(kOp, q, k);
  check_same_kind(kOp, q, values);
  HEED_CHECK(q.dims() == 4 && k.dims() == 4 && values.dims() == 4, kOp, "q is ", q.shape(), ", k is ", k.shape(),
             " and v is ", values.shape(), "; they must be (B, H, T, D), (B, Hk, S, D) and (B, Hk, S, Dv)");
  const bool fit = k.size(0) == q.size(0) && values.size(0) == q.size(0) && k.size(1) == values.size(1) &&
                   k.size(2) == values.size(2) && k.size(3) == q.size(3);
  HEED_CHECK(fit && k.size(1) > 0 && q.size(1) % k.size(1) == 0, kOp, "q is ", q.shape(), ", k is ", k.shape(),
             " and v is ", values.shape(),
             "; they must be (B, H, T, D), (B, Hk, S, D) and (B, Hk, S, Dv), and Hk must divide H");
  check_head_channels(kOp, q.size(3), values.size(3));
  HEED_CHECK(v.B == q.size(0) && v.H == q.size(1) && v.T == q.size(2) && v.S == k.size(2), kOp, "q is ", q.shape(),
             " and k is ", k.shape(), ", but the visible pairs are for (B, H, T, S) = ", Shape{v.B, v.H, v.T, v.S});
  v.check(kOp);
}

void check_positions(const SoftmaxInputs& in, const Visible& v) {
  const Tensor &queries = in.query_positions, &keys = in.key_positions;
  HEED_CHECK(queries.defined() == keys.defined(), kOp, "positions were given for the ",
             queries.defined() ? "queries" : "keys", " only; the rule is for both or for none");
  if (!queries.defined()) return;
  const auto fits = [&](const Tensor& x, long n) {
    return x.dtype() == i32 && x.dims() == 2 && (x.size(0) == 1 || x.size(0) == v.B) && x.size(1) == n;
  };
  HEED_CHECK(fits(queries, v.T) && fits(keys, v.S), kOp, "the positions are ", queries.dtype(), " ", queries.shape(),
             " and ", keys.dtype(), " ", keys.shape(), " and (B, H, T, S) is ", Shape{v.B, v.H, v.T, v.S},
             "; they must be i32 (1 or B, T) and (1 or B, S)");
}

void check_distances(const SoftmaxInputs& in, const Visible& v) {
  check_same_kind(kOp, in.q.value(), in.by_distance.value());
  const Shape &s = in.by_distance.shape(), all{v.B, v.H, v.T, v.S};
  if (!in.query_positions.defined()) {
    HEED_CHECK(s == (Shape{v.H, v.T + v.S - 1}), kOp, "the bias by distance is ", s, " and (B, H, T, S) is ", all,
               "; it must be (H, T + S - 1)");
    return;
  }
  HEED_CHECK(s.dims() == 2 && s[0] == v.H && s[1] % 2 == 1, kOp, "the bias by distance is ", s, " and (B, H, T, S) is ",
             all, "; with positions it must be (H, 2 m + 1)");
  const long m = largest_distance(in.query_positions, in.key_positions);
  HEED_CHECK(m <= s[1] / 2, kOp, "positions out of range: the bias by distance is ", s, ", for distances up to ",
             s[1] / 2, ", and there is one of ", m, ". Make it (H, 2 m + 1) with m >= ", m);
}

void check_biases(const SoftmaxInputs& in, const Visible& v) {
  check_positions(in, v);
  if (in.by_distance.defined()) check_distances(in, v);
  if (!in.by_query.defined()) return;
  check_same_kind(kOp, in.q.value(), in.by_query.value());
  const Shape& s = in.by_query.shape();
  HEED_CHECK(s.dims() == 4 && s[0] == v.B && s[1] == v.H && s[2] == v.T && s[3] % 2 == 1, kOp, "the bias by query is ",
             s, " and (B, H, T, S) is ", Shape{v.B, v.H, v.T, v.S}, "; it must be (B, H, T, 2 c + 1)");
}

}  // namespace

void check_head_channels(const char* op, long D, long Dv) {
  HEED_CHECK(D <= kMostHeadChannels && Dv <= kMostHeadChannels, op, "a head has ", D, " channels and ", Dv,
             " values; the rule is at most ", kMostHeadChannels, ". Use more heads");
}

long largest_distance(const Tensor& query_positions, const Tensor& key_positions) {
  const std::vector<int32_t> queries = query_positions.to_vector<int32_t>(), keys = key_positions.to_vector<int32_t>();
  if (queries.empty() || keys.empty()) return 0;
  const auto ends = [](const std::vector<int32_t>& all, const Tensor& x, long b) {  // of one sample
    const long n = x.size(1), first = x.size(0) > 1 ? b * n : 0;
    const auto [least, most] = std::minmax_element(all.begin() + first, all.begin() + first + n);
    return KeyRange{*least, *most};
  };
  long largest = 0;
  for (long b = 0; b < std::max(query_positions.size(0), key_positions.size(0)); b++) {
    const KeyRange q = ends(queries, query_positions, b), k = ends(keys, key_positions, b);
    largest = std::max({largest, q.last - k.first, k.last - q.first});
  }
  return largest;
}

SoftmaxOutputs softmax_attention(const SoftmaxInputs& in, const Visible& visible, const SoftmaxOptions& options) {
  check_shapes(in, visible);
  check_biases(in, visible);
  HEED_CHECK(options.dropout >= 0 && options.dropout < 1, kOp, "dropout is ", options.dropout,
             "; the rule is 0 <= p < 1");
  PairCounter::note(visible);
  auto call = std::make_shared<SoftmaxCall>(in, visible.on(in.q.value().device()), options);
  call->forward();
  const std::vector<Input> inputs = {in.q, in.k, in.v, in.by_distance, in.by_query};
  const SoftmaxCall::Wants wants{in.by_distance.requires_grad(), in.by_query.requires_grad()};
  std::vector<Saved> saved;
  if (grad_enabled()) {            // decoding is quicker without
    for (const Input& x : inputs)  // kept by the call, also recomputable ones
      if (x.variable->defined()) saved.push_back(Saved(x.variable->value()));
    for (const Tensor& x : {call->o, call->L}) saved.push_back(Saved(x));
    for (const Tensor& x : call->visible.tensors()) saved.push_back(Saved(x));
    for (const Tensor& x : {in.query_positions, in.key_positions})
      if (x.defined()) saved.push_back(Saved(x));
  }
  auto backward = [call, saved = std::move(saved), wants](const std::vector<Tensor>& dys) {
    for (const Saved& each : saved) each.get();  // throws if somebody wrote there
    return Grads(call->backward(dys[0], dys[1], wants));
  };
  std::vector<Variable> ys = record_many(kOp, {call->o, call->L}, inputs, std::move(backward));
  return {ys[0], ys[1]};
}

SoftmaxOutputs by_tokens(const SoftmaxOutputs& y, const Tensor& given) {
  constexpr double nothing = -std::numeric_limits<double>::infinity();
  const Tensor places = checked_rows("by_tokens", given, y.o.size(2), y.o.value().device());
  const Variable found = squeeze(rows_at(unsqueeze(y.L, -1), places), -1);
  const Variable L = masked_fill(found, expand(less(places, 0), found.shape()), nothing);
  if (places.size(1) > 1) return {rows_at(y.o, places), L};
  const long B = y.o.size(0), H = y.o.size(1), P = y.o.size(2), Dv = y.o.size(3), T = places.size(2);
  const Variable rows = reshape(transpose(y.o, 1, 2), {B, P, H * Dv});  // without a copy
  return {transpose(reshape(rows_at(rows, squeeze(places, 1)), {B, T, H, Dv}), 1, 2), L};
}

}  // namespace heed
