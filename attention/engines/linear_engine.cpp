#include "attention/engines/linear_engine.h"

#include "attention/engines/linear_call.h"
#include "autograd/ops/elementwise.h"
#include "autograd/ops/views.h"
#include "tensor/create.h"

namespace heed {
namespace {

constexpr const char* kOp = "linear_attention";

void check_shapes(const LinearInputs& in) {
  const Tensor &q = in.q.value(), &k = in.k.value(), &v = in.v.value();
  check_same_kind(kOp, q, k);
  check_same_kind(kOp, q, v);
  const bool four = q.dims() == 4 && k.dims() == 4 && v.dims() == 4;
  HEED_CHECK(four && k.size(0) == q.size(0) && v.size(0) == q.size(0) && k.size(1) == v.size(1) && k.size(1) > 0 &&
                 q.size(1) % k.size(1) == 0 && k.size(2) == v.size(2) && k.size(3) == q.size(3),
             kOp, "q is ", q.shape(), ", k is ", k.shape(), " and v is ", v.shape(),
             "; they must be (B, H, T, F), (B, Hk, S, F) and (B, Hk, S, Dv), and Hk must divide H");
}

void check_lengths(const Tensor& lengths, const Tensor& k) {
  HEED_CHECK(!lengths.defined() || (lengths.dtype() == i64 && lengths.shape() == Shape{k.size(0)}), kOp, "lengths is ",
             lengths.shape(), " and k is ", k.shape(), "; it must be i64 (B,)");
}

void check_segments(const LinearInputs& in, const Tensor& segments, long before) {
  if (!segments.defined()) return;
  const Shape want{in.k.size(0), before + in.k.size(2)};
  HEED_CHECK(segments.dtype() == i64 && segments.shape() == want, kOp, "segments is ", segments.dtype(), " ",
             segments.shape(), ", and there are ", before, " tokens before and ", in.k.size(2), " now; it must be i64 ",
             want, ", one number per token so far");
  HEED_CHECK(in.q.size(2) <= in.k.size(2), kOp, "q is ", in.q.shape(), " and k is ", in.k.shape(),
             ", with segments; queries are the last T of S tokens, so T <= S. Another sequence has no segments");
}

void check_state(const LinearInputs& in, const LinearOptions& options, const LinearState& state) {
  HEED_CHECK(options.causal && in.q.size(2) == in.k.size(2), kOp, "q is ", in.q.shape(), " and k is ", in.k.shape(),
             options.causal ? ", causal" : ", not causal",
             "; a state goes on with new tokens only: causal, as many queries as keys");
  const Shape want{in.k.size(0), in.k.size(1), in.k.size(3), in.v.size(3) + 1};
  HEED_CHECK(!state.sums.defined() || state.sums.shape() == want, kOp, "the state holds ", state.sums.shape(),
             " and the tokens make ", want, "; it belongs to other sizes. Start a new one");
  if (state.sums.defined()) check_same_kind(kOp, in.q.value(), state.sums);
}

bool is_recorded_for(const LinearInputs& in) {
  return grad_enabled() && (in.q.requires_grad() || in.k.requires_grad() || in.v.requires_grad());
}

// Where a state's new sums go: into its own memory, unless somebody else looks at it too.
Tensor sums_after(const LinearState& state, const LinearInputs& in, bool recorded) {
  const Tensor& sums = state.sums;
  if (sums.defined() && !recorded && sums.is_contiguous() && sums.storage().use_count() == 1) return sums;
  return Tensor::empty({in.k.size(0), in.k.size(1), in.k.size(3), in.v.size(3) + 1}, in.k.dtype(),
                       in.k.value().device());
}

// Records a call that was made; whoever writes into what it keeps is found out.
Variable recorded_call(const std::shared_ptr<LinearCall>& call, const LinearInputs& in) {
  std::vector<Saved> saved;
  for (const Tensor& x : {in.q.value(), in.k.value(), in.v.value(), call->o, call->inverse}) saved.push_back(Saved(x));
  if (call->before.defined()) saved.push_back(Saved(call->before));
  return record(kOp, call->o, {in.q, in.k, in.v}, [call, saved = std::move(saved)](const Tensor& dy) {
    for (const Saved& each : saved) each.get();
    return Grads(call->backward(dy));
  });
}

Variable run(const LinearInputs& in, const LinearTokens& tokens, const LinearOptions& options, const Tensor& before,
             const Tensor& after) {
  if (!is_recorded_for(in)) {
    const LinearCall call(in, tokens, options, before);
    call.forward(after);
    return record(kOp, call.o, {in.q, in.k, in.v}, [](const Tensor&) { return Grads{}; });
  }
  const auto call = std::make_shared<LinearCall>(in, tokens, options, before);
  call->keep_for_backward();
  call->forward(after);
  return recorded_call(call, in);
}

// f(x) for an f of single numbers. Heads of (B, T, H, C) in memory, seen as (B, H, T, C), would be walked over in steps
// of a token.
template <class F> Variable in_memory_order(const Variable& x, F&& f) {
  const bool by_tokens = x.dims() == 4 && x.value().strides()[1] < x.value().strides()[2];
  return by_tokens ? transpose(f(transpose(x, 1, 2)), 1, 2) : f(x);
}

}  // namespace

void check_linear_attention(const LinearInputs& in, const LinearOptions& options, const LinearState* state) {
  check_shapes(in);
  HEED_CHECK(options.epsilon >= 0, kOp, "epsilon is ", options.epsilon, "; the rule is epsilon >= 0");
  check_lengths(options.lengths, in.k.value());
  if (state) check_state(in, options, *state);
  check_segments(in, options.segments, state ? state->length : 0);
}

Variable linear_attention(const LinearInputs& in, const LinearOptions& options, LinearState* state) {
  check_linear_attention(in, options, state);
  LinearTokens tokens{.B = in.q.size(0),
                      .T = in.q.size(2),
                      .S = in.k.size(2),
                      .causal = options.causal,
                      .before = state ? state->length : 0,
                      .lengths = options.lengths,
                      .segments = options.segments};
  if (!state) return run(in, tokens, options, {}, {});
  const Tensor after = sums_after(*state, in, is_recorded_for(in));
  const Variable o = run(in, tokens, options, state->sums, after);
  state->sums = after;
  state->length += in.k.size(2);
  return o;
}

LinearState linear_state_of(const Tensor& k, const Tensor& v, const Tensor& lengths) {
  HEED_CHECK(k.dims() == 4, kOp, "k is ", k.shape(), "; it must be (B, Hk, S, F)");
  const NoGrad off;
  const Tensor nobody = Tensor::empty({k.size(0), k.size(1), 0, k.size(3)}, k.dtype(), k.device());
  const LinearInputs in{nobody, k, v};
  check_linear_attention(in, {.lengths = lengths});
  const Tensor sums = Tensor::empty({k.size(0), k.size(1), k.size(3), v.size(3) + 1}, k.dtype(), k.device());
  run(in, {.B = k.size(0), .T = 0, .S = k.size(2), .causal = false, .lengths = lengths}, {.epsilon = 1}, {}, sums);
  return {sums, k.size(2)};
}

Variable linear_attention_from(const Variable& q, const LinearState& source, double epsilon) {
  const Tensor& sums = source.sums;
  HEED_CHECK(sums.defined(), "linear_attention_from", "the state is empty; make it by linear_state_of(k, v)");
  const auto none = [&](long channels) {
    return Tensor::empty({sums.size(0), sums.size(1), 0, channels}, sums.dtype(), sums.device());
  };
  const LinearInputs in{q, none(sums.size(2)), none(sums.size(3) - 1)};
  check_linear_attention(in, {.epsilon = epsilon});
  return run(in, {.B = q.size(0), .T = q.size(2), .S = 0, .causal = false}, {.epsilon = epsilon}, sums, {});
}

Variable elu_features(const Variable& x) {
  return in_memory_order(x, [](const auto& at) { return elu_plus_one(at); });
}

Variable relu_features(const Variable& x, double least) {
  return in_memory_order(x, [least](const auto& at) { return relu(at) + least; });
}

}  // namespace heed
