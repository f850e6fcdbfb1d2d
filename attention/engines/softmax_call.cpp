#include "attention/engines/softmax_call.h"

#include <cmath>

#include "attention/engines/keep.h"
#include "attention/engines/softmax_flops.h"
#include "attention/engines/token_layout.h"
#include "tensor/copy.h"
#include "tensor/create.h"
#include "tensor/ops/rows.h"
#include "tensor/views.h"

namespace heed {
namespace {

constexpr const char* kOp = "softmax_attention";
using kernels::PerHead;
using kernels::Seen;
using kernels::SoftmaxOperands;
using kernels::SoftmaxProblem;
using kernels::SoftmaxSizes;

// An index of places, (1 or B, 1 or H, rows)
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

// Positions on q's device; undefined stays undefined
Tensor beside(const Tensor& q, const Tensor& positions) {
  return positions.defined() ? contiguous(to(positions, q.device())) : positions;
}

// On the cpu from where they are, unless somebody watches its kernels: he knows the memory of tensors only.
kernels::PlanTiles read_plan(const Plan& plan, Device device) {
  kernels::PlanTiles list{.samples = plan.shape.samples, .heads = plan.shape.heads, .query_tiles = plan.query_tiles()};
  if (device == cpu && !cpu_kernels_are_watched.load(std::memory_order_relaxed)) {
    list.begin = plan.begin.data(), list.key_tile = plan.key_tile.data(), list.bits = plan.bits.data();
    list.tiles = plan.tiles.empty() ? nullptr : plan.tiles[0].data();
    return list;
  }
  const PlanTensors& there = plan.on(device);
  list.begin = there.begin.data<int64_t>(), list.key_tile = there.key_tile.data<int32_t>();
  list.bits = there.bits.data<int32_t>();
  list.tiles = reinterpret_cast<const uint64_t*>(there.tiles.data<int64_t>());
  return list;
}

Seen read_seen(const Visible& v) {
  Seen seen{.query_labels = read_samples(v.query_labels), .key_labels = read_samples(v.key_labels)};
  seen.first = read_index(v.first), seen.last = read_index(v.last);
  if (v.by_value()) {
    for (long i = 0; i < v.first.numel(); i++) seen.few[i] = {seen.first.data[i], seen.last.data[i]};
    seen.few_b = seen.first.b, seen.few_h = seen.first.h;
    seen.first = seen.last = {};
  }
  if (v.allow.defined()) {  // expanded to (B, H, T, S)
    const Strides& strides = v.allow.strides();
    seen.allow = {v.allow.data<bool>(), strides[0], strides[1]};
    seen.allow_i = strides[2];
    seen.allow_j = strides[3];
  }
  if (!v.plan) return seen;
  seen.plan = read_plan(*v.plan, v.device);
  seen.query_index = read_index(v.query_index);
  seen.key_index = read_index(v.key_index);
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

// How often the kernel reads each tile of 64 keys: as often as a plan has tiles for it, or once for every 64 queries
// that see it, which some of the ranges tell.
double reads_of_keys(const Visible& visible) {
  if (const Plan* plan = visible.plan.get())
    return double(plan->key_tile.size()) /
           double(ceil_div(plan->shape.S, kPlanTile) * plan->shape.samples * plan->shape.heads);
  constexpr long kAsked = 32;
  const auto *first = visible.first.data<int32_t>(), *last = visible.last.data<int32_t>();
  double keys = 0;
  for (long i = 0; i < kAsked; i++) keys += double(last[i * visible.T / kAsked] - first[i * visible.T / kAsked] + 1);
  return keys / double(kAsked * visible.S) * double(visible.T) / double(kPlanTile) + 1;
}

// Where keys and values are read often, rows that lie far apart are copied first.
Tensor dense_if_read_often(const Tensor& x, const Visible& visible) {
  const bool apart = x.size(2) > 1 && x.strides()[2] != x.size(3);
  if (!apart || visible.T <= 512 || x.device() != cpu) return x;
  constexpr double kOften = 24;  // measured: at 64 reads copies save 5 to 10%, at 17 to 33 not more than 2%
  return reads_of_keys(visible) > kOften ? contiguous(x) : x;
}

// What one kernel reads. Copies of keys and values live no longer than this: backward makes them again, or every layer
// would keep two more tensors of its width.
struct Read {
  const SoftmaxCall& call;
  Tensor k = dense_if_read_often(call.k, call.visible), v = dense_if_read_often(call.v, call.visible);

  SoftmaxProblem problem() const {
    SoftmaxProblem p = call.problem;
    p.stride.k = strides_of(k), p.stride.v = strides_of(v);
    return p;
  }
  template <class E> SoftmaxOperands<E> operands() const {
    return {call.q.data<E>(), k.data<E>(), v.data<E>(), data_or_null<E>(call.by_distance),
            data_or_null<E>(call.by_query)};
  }
};

// Where backward writes.
struct Gradients {
  Tensor dq, dk, dv, dby_distance, dby_query;

  Gradients(const SoftmaxCall& call, const SoftmaxCall::Wants& wants) {
    const SoftmaxSizes& z = call.problem.sizes;
    const DType dtype = call.q.dtype();
    const Device device = call.q.device();
    dq = call.problem.seen.query_index ? Tensor::empty({z.B, z.H, z.T, z.D}, dtype, device)
                                       : token_major({z.B, z.H, z.T, z.D}, call.q);
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

}  // namespace

SoftmaxCall::SoftmaxCall(const SoftmaxInputs& in, const Visible& visible_given, const SoftmaxOptions& options)
    : q(with_dense_rows(in.q.value())),
      k(with_dense_rows(in.k.value())),
      v(with_dense_rows(in.v.value())),
      by_distance(contiguous_or_none(in.by_distance.value())),
      by_query(contiguous_or_none(in.by_query.value())),
      query_positions(beside(q, in.query_positions)),
      key_positions(beside(q, in.key_positions)),
      visible(visible_given) {
  const SoftmaxSizes z = sizes_of(q, k, v, visible);
  o = token_major({z.B, z.H, z.T, z.Dv}, q);
  L = Tensor::empty({z.B, z.H, z.T}, q.dtype(), q.device());
  if (visible.allow.defined()) visible.allow = expand(visible.allow, {z.B, z.H, visible.T, visible.S});
  const long distances = by_distance.defined() ? by_distance.size(1) : 0;
  problem = {.sizes = z,
             .stride = {.q = strides_of(q), .k = strides_of(k), .v = strides_of(v), .o = strides_of(o)},
             .scale = options.scale != 0 ? options.scale : 1 / std::sqrt(double(std::max(1L, z.D))),
             .clip = by_query.defined() ? by_query.size(3) / 2 : 0,
             .distances = distances,
             .zero = query_positions.defined() ? distances / 2 : z.query_tokens - 1,
             .positions = {read_samples(query_positions), read_samples(key_positions)},
             .seen = read_seen(visible),
             .keep = {keep_threshold(options.dropout), 1 / (1 - options.dropout),
                      key_from_head(options.key, options.first_head)}};
}

void SoftmaxCall::forward() const {
  const Read read{*this};
  const double flops = softmax_flops(problem, q.device());
  visit_maths(kOp, q.dtype(), [&](auto tag) {
    using E = decltype(tag);
    kernels::softmax_attention<E>(q.device(), flops)(o.mutable_data<E>(), L.mutable_data<E>(), read.operands<E>(),
                                                     read.problem());
  });
}

std::vector<Tensor> SoftmaxCall::backward(const Tensor& dy_given, const Tensor& dL_given, const Wants& wants) const {
  const Tensor dy = as_token_major(dy_given.defined() ? dy_given : zeros_like(o));
  const Tensor dL = contiguous_or_none(dL_given);
  Gradients to(*this, wants);
  const Read read{*this};
  SoftmaxProblem p = read.problem();
  p.stride.dq = strides_of(to.dq), p.stride.dk = strides_of(to.dk), p.stride.dv = strides_of(to.dv);
  const Device device = q.device();
  const double flops = 2.5 * softmax_flops(p, device);  // five products in place of two
  visit_maths(kOp, q.dtype(), [&](auto tag) {
    using E = decltype(tag);
    Tensor workspace = Tensor::empty({kernels::softmax_attention_workspace<E>(device)(p)}, u8, device);
    kernels::softmax_attention_backward<E>(device, flops)(to.pointers<E>(), dy.data<E>(), data_or_null<E>(dL),
                                                          {read.operands<E>(), o.data<E>(), L.data<E>()}, p,
                                                          workspace.mutable_data<uint8_t>());
  });
  if (p.seen.query_index) {  // by rows -> by tokens
    to.dq = rows_added(to.dq, visible.query_index, visible.T);
    if (wants.by_query) to.dby_query = rows_added(to.dby_query, visible.query_index, visible.T);
  }
  return {to.dq, to.dk, to.dv, to.dby_distance, to.dby_query};
}

}  // namespace heed
