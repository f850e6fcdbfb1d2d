#include "attention/engines/softmax_engine.h"

#include <cmath>

#include "tensor/copy.h"
#include "tensor/create.h"
#include "tensor/ops/embedding.h"
#include "tensor/views.h"

namespace heed {
namespace {

constexpr const char* kOp = "softmax_attention";
using kernels::PerHead;
using kernels::Seen;
using kernels::SoftmaxOperands;
using kernels::SoftmaxProblem;
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

// x (B, H, rows, C) of a plan with an index, added up by tokens: (B, H, tokens, C), in the order of the rows. This is
// what a table's gradient is, by whole rows; scatter_add would want an index for every single element.
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

// A plan's index, (1 or B, 1 or H, rows)
PerHead<int32_t> read_index(const Tensor& index) {
  if (!index.defined()) return {};
  const long rows = index.size(2), heads = index.size(1);
  return {index.data<int32_t>(), index.size(0) == 1 ? 0 : heads * rows, heads == 1 ? 0 : rows};
}

// x (1 or B, n)
PerHead<int32_t> read_samples(const Tensor& x) {
  if (!x.defined()) return {};
  return {x.data<int32_t>(), x.size(0) == 1 ? 0 : x.size(1)};
}

Seen read_seen(const Visible& v) {
  Seen seen{.first = read_samples(v.first),
            .last = read_samples(v.last),
            .query_labels = read_samples(v.query_labels),
            .key_labels = read_samples(v.key_labels)};
  if (v.allow.defined()) {  // expanded to (B, H, T, S)
    const Strides& strides = v.allow.strides();
    seen.allow = {v.allow.data<bool>(), strides[0], strides[1]};
    seen.allow_i = strides[2];
    seen.allow_j = strides[3];
  }
  if (!v.plan) return seen;
  seen.plan = v.plan.get();
  seen.query_index = read_index(v.plan->query_index);
  seen.key_index = read_index(v.plan->key_index);
  return seen;
}

SoftmaxSizes sizes_of(const Tensor& q, const Tensor& k, const Tensor& v, const Visible& visible) {
  return {.B = q.size(0),
          .H = q.size(1),
          .Hk = k.size(1),
          .T = visible.query_places(),
          .S = visible.key_places(),
          .D = q.size(3),
          .Dv = v.size(3),
          .query_tokens = visible.T,
          .key_tokens = visible.S};
}

// Everything a kernel is told, and the tensors behind the pointers.
struct Call {
  Tensor q, k, v, o, L, by_distance, by_query;
  Visible visible;
  SoftmaxProblem problem{};

  Call(const SoftmaxInputs& in, const Visible& visible_given, const SoftmaxOptions& options)
      : q(with_dense_channels(in.q.value())),
        k(dense_if_read_often(in.k.value(), visible_given.T)),
        v(dense_if_read_often(in.v.value(), visible_given.T)),
        by_distance(contiguous_or_none(in.by_distance.value())),
        by_query(contiguous_or_none(in.by_query.value())),
        visible(visible_given) {
    const SoftmaxSizes z = sizes_of(q, k, v, visible);
    o = token_major(z.B, z.H, z.T, z.Dv, q);
    L = Tensor::empty({z.B, z.H, z.T}, q.dtype(), q.device());
    if (visible.allow.defined()) visible.allow = expand(visible.allow, {z.B, z.H, visible.T, visible.S});
    problem = {.sizes = z,
               .stride = {.q = strides_of(q), .k = strides_of(k), .v = strides_of(v), .o = strides_of(o)},
               .scale = options.scale != 0 ? options.scale : 1 / std::sqrt(double(std::max(1L, z.D))),
               .clip = by_query.defined() ? by_query.size(3) / 2 : 0,
               .seen = read_seen(visible),
               .keep = {keep_threshold(options.dropout), 1 / (1 - options.dropout), options.key}};
  }

  template <class E> SoftmaxOperands<E> operands() const {
    return {q.data<E>(), k.data<E>(), v.data<E>(), data_or_null<E>(by_distance), data_or_null<E>(by_query)};
  }
};

void run_forward(const Call& call) {
  visit_maths(kOp, call.q.dtype(), [&](auto tag) {
    using E = decltype(tag);
    kernels::softmax_attention<E>(call.q.device())(call.o.mutable_data<E>(), call.L.mutable_data<E>(),
                                                   call.operands<E>(), call.problem);
  });
}

struct Wants {
  bool by_distance, by_query;
};

// Where backward writes.
struct Gradients {
  Tensor dq, dk, dv, dby_distance, dby_query;

  Gradients(const Call& call, const Wants& wants) {
    const SoftmaxSizes& z = call.problem.sizes;
    const DType dtype = call.q.dtype();
    const Device device = call.q.device();
    dq = call.problem.seen.query_index ? Tensor::empty({z.B, z.H, z.T, z.D}, dtype, device)
                                       : token_major(z.B, z.H, z.T, z.D, call.q);
    dk = Tensor::empty({z.B, z.Hk, z.key_tokens, z.D}, dtype, device);
    dv = Tensor::empty({z.B, z.Hk, z.key_tokens, z.Dv}, dtype, device);
    if (wants.by_distance) dby_distance = zeros_like(call.by_distance);
    if (wants.by_query) dby_query = zeros({z.B, z.H, z.T, 2 * call.problem.clip + 1}, dtype, device);
  }

  template <class E> kernels::SoftmaxGradients<E> pointers() const {
    return {dq.mutable_data<E>(), dk.mutable_data<E>(), dv.mutable_data<E>(), mutable_or_null<E>(dby_distance),
            mutable_or_null<E>(dby_query)};
  }
};

// dq, dk, dv, and the gradients of the biases that are there
std::vector<Tensor> run_backward(const Call& call, const Tensor& dy_given, const Tensor& dL_given, const Wants& wants) {
  const Tensor dy = as_token_major(dy_given.defined() ? dy_given : zeros_like(call.o));
  const Tensor dL = contiguous_or_none(dL_given);
  Gradients to(call, wants);
  SoftmaxProblem p = call.problem;
  p.stride.dq = strides_of(to.dq), p.stride.dk = strides_of(to.dk), p.stride.dv = strides_of(to.dv);
  const Device device = call.q.device();
  visit_maths(kOp, call.q.dtype(), [&](auto tag) {
    using E = decltype(tag);
    Tensor workspace = Tensor::empty({kernels::softmax_attention_workspace<E>(device)(p)}, u8, device);
    kernels::softmax_attention_backward<E>(device)(to.pointers<E>(), dy.data<E>(), data_or_null<E>(dL),
                                                   {call.operands<E>(), call.o.data<E>(), call.L.data<E>()}, p,
                                                   workspace.mutable_data<uint8_t>());
  });
  if (p.seen.query_index) {
    to.dq = by_tokens(to.dq, call.visible);
    if (wants.by_query) to.dby_query = by_tokens(to.dby_query, call.visible);
  }
  std::vector<Tensor> grads = {to.dq, to.dk, to.dv};
  if (call.by_distance.defined()) grads.push_back(to.dby_distance);
  if (call.by_query.defined()) grads.push_back(to.dby_query);
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
