#include "attention/engines/softmax_engine.h"

#include <cmath>

#include "tensor/copy.h"
#include "tensor/create.h"
#include "tensor/ops/embedding.h"
#include "tensor/views.h"

namespace heed {
namespace {

constexpr const char* kOp = "softmax_attention";
using kernels::SoftmaxSizes;
using kernels::TokenStrides;

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
  if (v.plan) v.plan->check(kOp, {v.B, v.H, v.T, v.S});
}

void check_biases(const SoftmaxInputs& in, const Visible& v) {
  if (in.by_distance.defined()) {
    check_same_kind(kOp, in.q.value(), in.by_distance.value());
    HEED_CHECK(in.by_distance.shape() == (Shape{v.H, v.T + v.S - 1}), kOp, "the bias by distance is ",
               in.by_distance.shape(), " and (B, H, T, S) is ", Shape{v.B, v.H, v.T, v.S},
               "; it must be (H, T + S - 1)");
  }
  if (!in.by_query.defined()) return;
  check_same_kind(kOp, in.q.value(), in.by_query.value());
  const Shape& s = in.by_query.shape();
  HEED_CHECK(s.dims() == 4 && s[0] == v.B && s[1] == v.H && s[2] == v.T && s[3] % 2 == 1, kOp, "the bias by query is ",
             s, " and (B, H, T, S) is ", Shape{v.B, v.H, v.T, v.S}, "; it must be (B, H, T, 2 c + 1)");
}

Tensor with_dense_channels(const Tensor& x) { return x.size(3) <= 1 || x.strides()[3] == 1 ? x : contiguous(x); }

// Keys and values are read once per 64 queries: where there are many, rows that lie far apart are copied first.
Tensor dense_if_read_often(const Tensor& x, long T) {
  return T > 512 && x.size(2) > 1 && x.strides()[2] != x.size(3) ? contiguous(x) : with_dense_channels(x);
}

TokenStrides strides_of(const Tensor& x) { return {x.strides()[0], x.strides()[1], x.strides()[2]}; }

// (B, H, T, C), in memory (B, T, H, C)
Tensor token_major(long B, long H, long T, long C, const Tensor& like) {
  return transpose(Tensor::empty({B, T, H, C}, like.dtype(), like.device()), 1, 2);
}

// The same elements with the strides of token_major.
Tensor as_token_major(const Tensor& x) { return transpose(contiguous(transpose(x, 1, 2)), 1, 2); }

// x (B, H, places, C) added up by tokens, (B, H, tokens, C), in the order of the places
Tensor by_tokens(const Tensor& x, const Visible& v) {
  const long B = v.B, H = v.H, T = v.T, P = v.query_places(), C = x.size(3), spare = B * H * T;
  std::vector<int64_t> rows;
  for (long b = 0; b < B; b++)
    for (long h = 0; h < H; h++)
      for (long i = 0; i < P; i++) {
        const long token = v.query_token(b, h, i);
        rows.push_back(token < 0 ? spare : (b * H + h) * T + token);
      }
  const Tensor sums = embedding_backward(reshape(x, {B * H * P, C}), from_vector(rows, {B * H * P}), spare + 1);
  return reshape(slice(sums, 0, 0, spare), {B, H, T, C});
}

// Everything a kernel is told; holds the tensors behind the pointers.
struct Call {
  Tensor q, k, v, o, L, by_distance, by_query;
  Visible visible;
  SoftmaxSizes sizes{};

  Call(const SoftmaxInputs& in, const Visible& visible_given, const SoftmaxOptions& options)
      : q(with_dense_channels(in.q.value())),
        k(dense_if_read_often(in.k.value(), visible_given.T)),
        v(dense_if_read_often(in.v.value(), visible_given.T)),
        visible(visible_given) {
    by_distance = contiguous_or_none(in.by_distance.value());
    by_query = contiguous_or_none(in.by_query.value());
    const long D = q.size(3);
    SoftmaxSizes& z = sizes;
    z.B = visible.B, z.H = visible.H, z.Hk = k.size(1), z.D = D, z.Dv = v.size(3);
    z.T = visible.query_places(), z.S = visible.key_places(), z.query_tokens = visible.T, z.key_tokens = visible.S;
    o = token_major(z.B, z.H, z.T, z.Dv, q);
    L = Tensor::empty({z.B, z.H, z.T}, q.dtype(), q.device());
    z.scale = options.scale != 0 ? options.scale : 1 / std::sqrt(double(std::max(1L, D)));
    z.q = strides_of(q), z.k = strides_of(k), z.v = strides_of(v), z.o = strides_of(o);
    z.first = visible.first.data<int32_t>(), z.last = visible.last.data<int32_t>();
    z.range_b = visible.first.size(0) == 1 ? 0 : visible.T;
    if (visible.key_labels.defined()) {
      z.query_labels = visible.query_labels.data<int32_t>(), z.key_labels = visible.key_labels.data<int32_t>();
      z.query_labels_b = visible.query_labels.size(0) == 1 ? 0 : visible.T;
      z.key_labels_b = visible.key_labels.size(0) == 1 ? 0 : visible.S;
    }
    if (visible.allow.defined()) {
      visible.allow = expand(visible.allow, {z.B, z.H, visible.T, visible.S});
      const Strides& strides = visible.allow.strides();
      z.allow = visible.allow.data<bool>();
      z.allow_b = strides[0], z.allow_h = strides[1], z.allow_i = strides[2], z.allow_j = strides[3];
    }
    if (visible.plan) read_plan(*visible.plan);
    if (by_query.defined()) z.clip = by_query.size(3) / 2;
    z.threshold = keep_threshold(options.dropout);
    z.keep_scale = 1 / (1 - options.dropout);
    z.key = options.key;
  }

  void read_plan(const Plan& plan) {
    SoftmaxSizes& z = sizes;
    const auto read = [](const Tensor& index, const int32_t*& at, long& by_sample, long& by_head) {
      if (!index.defined()) return;
      at = index.data<int32_t>();
      by_head = index.size(1) == 1 ? 0 : index.size(2);
      by_sample = index.size(0) == 1 ? 0 : index.size(1) * index.size(2);
    };
    z.plan = &plan;
    read(plan.query_index, z.query_index, z.query_index_b, z.query_index_h);
    read(plan.key_index, z.key_index, z.key_index_b, z.key_index_h);
  }
};

void run_forward(const Call& call) {
  visit_maths(kOp, call.q.dtype(), [&](auto tag) {
    using E = decltype(tag);
    kernels::softmax_attention<E>(call.q.device())(
        call.o.mutable_data<E>(), call.L.mutable_data<E>(), call.q.data<E>(), call.k.data<E>(), call.v.data<E>(),
        data_or_null<E>(call.by_distance), data_or_null<E>(call.by_query), call.sizes);
  });
}

struct Wants {
  bool by_distance, by_query;
};

// dq, dk, dv, and the gradients of the biases that are there
std::vector<Tensor> run_backward(const Call& call, const Tensor& dy_given, const Tensor& dL_given, const Wants& wants) {
  SoftmaxSizes z = call.sizes;
  Tensor dy = dy_given.defined() ? as_token_major(dy_given) : as_token_major(zeros_like(call.o));
  Tensor dL = contiguous_or_none(dL_given);
  auto empty = [&](const Shape& shape) { return Tensor::empty(shape, call.q.dtype(), call.q.device()); };
  const bool gathered = z.query_index != nullptr;  // then dq and dby_query lie by places at first
  Tensor dq = gathered ? empty({z.B, z.H, z.T, z.D}) : token_major(z.B, z.H, z.T, z.D, call.q);
  Tensor dk = empty({z.B, z.Hk, z.key_tokens, z.D}), dv = empty({z.B, z.Hk, z.key_tokens, z.Dv});
  z.dq = strides_of(dq), z.dk = strides_of(dk), z.dv = strides_of(dv);
  Tensor dby_distance = wants.by_distance ? zeros_like(call.by_distance) : Tensor();
  Tensor dby_query =
      wants.by_query ? zeros({z.B, z.H, z.T, 2 * z.clip + 1}, call.q.dtype(), call.q.device()) : Tensor();
  visit_maths(kOp, call.q.dtype(), [&](auto tag) {
    using E = decltype(tag);
    Tensor workspace =
        Tensor::empty({kernels::softmax_attention_workspace<E>(call.q.device())(z)}, u8, call.q.device());
    kernels::softmax_attention_backward<E>(call.q.device())(
        {dq.mutable_data<E>(), dk.mutable_data<E>(), dv.mutable_data<E>(), mutable_or_null<E>(dby_distance),
         mutable_or_null<E>(dby_query)},
        dy.data<E>(), data_or_null<E>(dL),
        {call.q.data<E>(), call.k.data<E>(), call.v.data<E>(), call.o.data<E>(), call.L.data<E>(),
         data_or_null<E>(call.by_distance), data_or_null<E>(call.by_query)},
        z, workspace.mutable_data<uint8_t>());
  });
  if (gathered) dq = by_tokens(dq, call.visible);
  if (gathered && wants.by_query) dby_query = by_tokens(dby_query, call.visible);
  std::vector<Tensor> grads = {dq, dk, dv};
  if (call.by_distance.defined()) grads.push_back(dby_distance);
  if (call.by_query.defined()) grads.push_back(dby_query);
  return grads;
}

}  // namespace

void check_head_channels(const char* op, long D, long Dv) {
  HEED_CHECK(D <= kMostHeadChannels && Dv <= kMostHeadChannels, op, "a head has ", D, " channels and ", Dv,
             " values; the rule is at most ", kMostHeadChannels, ". Use more heads");
}

SoftmaxOutputs softmax_attention(const SoftmaxInputs& in, const Visible& visible, const SoftmaxOptions& options) {
  check_shapes(in, visible);
  check_biases(in, visible);
  HEED_CHECK(options.dropout >= 0 && options.dropout < 1, kOp, "dropout is ", options.dropout,
             "; the rule is 0 <= p < 1");
  auto call = std::make_shared<Call>(in, visible, options);
  run_forward(*call);
  std::vector<Input> inputs = {in.q, in.k, in.v};
  if (in.by_distance.defined()) inputs.push_back(in.by_distance);
  if (in.by_query.defined()) inputs.push_back(in.by_query);
  const Wants wants{in.by_distance.requires_grad(), in.by_query.requires_grad()};
  std::vector<Saved> saved;
  if (grad_enabled()) {  // decoding is quicker without
    for (const Input& x : inputs)
      saved.push_back(Saved(x.variable->value()));  // kept by the call, also recomputable ones
    saved.push_back(Saved(call->o)), saved.push_back(Saved(call->L));
    for (const Tensor& x : visible.tensors()) saved.push_back(Saved(x));
  }
  auto backward = [call, saved = std::move(saved), wants](const std::vector<Tensor>& dys) {
    for (const Saved& each : saved) each.get();  // throws if somebody wrote there
    return Grads(run_backward(*call, dys[0], dys[1], wants));
  };
  std::vector<Variable> ys = record_many(kOp, {call->o, call->L}, inputs, std::move(backward));
  return {ys[0], ys[1]};
}

}  // namespace heed
