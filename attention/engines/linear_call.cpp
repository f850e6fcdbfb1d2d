#include "attention/engines/linear_call.h"

#include "attention/engines/token_layout.h"
#include "tensor/copy.h"
#include "tensor/create.h"

namespace heed {
namespace {

constexpr const char* kOp = "linear_attention";

// Not yet filled, in the order in which x lies in memory.
Tensor laid_out_as(const Tensor& x) {
  const bool by_tokens = x.strides()[1] < x.strides()[2];
  return by_tokens ? token_major(x.shape(), x) : Tensor::empty(x.shape(), x.dtype(), x.device());
}

template <class E> kernels::LinearOperands<E> operands(const LinearCall& call) {
  return {call.q.data<E>(), call.k.data<E>(), call.v.data<E>(), data_or_null<E>(call.before)};
}

// Multiplications and additions, about: three products of 64 x 64 per token of a piece
double flops_of(const kernels::LinearSizes& z) {
  const double pairs = double(kernels::kLinearPiece) * double(z.F + z.Dv);
  return double(z.B) * (double(z.H * z.T) * (2. * double(z.F * z.Dv) + pairs) + 2. * double(z.Hk * z.S * z.F * z.Dv));
}

}  // namespace

LinearCall::LinearCall(const LinearInputs& in, const LinearTokens& tokens, const LinearOptions& options,
                       const Tensor& sums)
    : q(with_dense_rows(in.q.value())),
      k(with_dense_rows(in.k.value())),
      v(with_dense_rows(in.v.value())),
      before(contiguous_or_none(sums)),
      pieces(linear_pieces_on(q.device(), tokens, options.ctx)),
      skips_keys(tokens.lengths.defined()) {
  o = token_major({q.size(0), q.size(1), q.size(2), v.size(3)}, q);
  problem.sizes = {
      .B = q.size(0), .H = q.size(1), .Hk = k.size(1), .T = q.size(2), .S = k.size(2), .F = q.size(3), .Dv = v.size(3)};
  problem.stride = {.q = strides_of(q), .k = strides_of(k), .v = strides_of(v), .o = strides_of(o)};
  problem.epsilon = options.epsilon;
  problem.begins_with_sums = before.defined();
  pieces->tell(problem);
}

void LinearCall::keep_for_backward() {
  inverse = Tensor::empty({problem.sizes.B, problem.sizes.H, problem.sizes.T}, q.dtype(), q.device());
}

void LinearCall::forward(const Tensor& after) const {
  kernels::LinearProblem p = problem;
  p.gives_sums = after.defined();
  const Device device = q.device();
  visit_maths(kOp, q.dtype(), [&](auto tag) {
    using E = decltype(tag);
    const Tensor workspace = Tensor::empty({kernels::linear_attention_workspace<E>(device)(p)}, u8, device);
    kernels::linear_attention<E>(device, flops_of(p.sizes))(
        {o.mutable_data<E>(), mutable_or_null<E>(inverse), mutable_or_null<E>(after)}, operands<E>(*this), p,
        workspace.mutable_data<uint8_t>());
  });
}

std::vector<Tensor> LinearCall::backward(const Tensor& dy_given) const {
  const Tensor dy = as_token_major(dy_given);
  const Tensor dq = laid_out_as(q), dk = laid_out_as(k), dv = laid_out_as(v);
  if (skips_keys) fill(dk, 0), fill(dv, 0);
  kernels::LinearProblem p = problem;
  p.stride.dq = strides_of(dq), p.stride.dk = strides_of(dk), p.stride.dv = strides_of(dv);
  const Device device = q.device();
  visit_maths(kOp, q.dtype(), [&](auto tag) {
    using E = decltype(tag);
    const Tensor workspace = Tensor::empty({kernels::linear_attention_backward_workspace<E>(device)(p)}, u8, device);
    kernels::linear_attention_backward<E>(device, 3 * flops_of(p.sizes))(
        {dq.mutable_data<E>(), dk.mutable_data<E>(), dv.mutable_data<E>()}, dy.data<E>(),
        {operands<E>(*this), o.data<E>(), inverse.data<E>()}, p, workspace.mutable_data<uint8_t>());
  });
  return {dq, dk, dv};
}

}  // namespace heed
