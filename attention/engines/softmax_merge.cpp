// The door of merge: parts of one attention become the whole, with gradients. Its definition by plain ops is
// merge_reference (softmax_reference.cpp).
#include "attention/engines/softmax_engine.h"
#include "tensor/copy.h"
#include "tensor/create.h"
#include "tensor/views.h"

namespace heed {
namespace {

using kernels::MergeGradients;
using kernels::MergeParts;
using kernels::MergeSizes;

void check_parts(const std::vector<SoftmaxOutputs>& parts) {
  HEED_CHECK(!parts.empty() && long(parts.size()) <= kMostMergedParts, "merge", parts.size(),
             " parts were given; the rule is 1 to ", kMostMergedParts);
  const Tensor& first = parts[0].o.value();
  for (const SoftmaxOutputs& part : parts) {
    const Tensor &o = part.o.value(), &L = part.L.value();
    check_same_kind("merge", first, o);
    check_same_kind("merge", first, L);
    const bool fits =
        o.dims() == 4 && o.shape() == first.shape() && L.shape() == Shape{o.size(0), o.size(1), o.size(2)};
    HEED_CHECK(fits, "merge", "the first part's o is ", first.shape(), ", and one has o ", o.shape(), " and L ",
               L.shape(), "; all must be (B, H, T, Dv) and (B, H, T)");
  }
}

// The parts with what kernels want: channels side by side, logarithms row-major.
struct Merging {
  MergeSizes sizes;
  std::vector<Tensor> o, L;

  explicit Merging(const std::vector<SoftmaxOutputs>& parts) {
    const Shape& s = parts[0].o.shape();
    sizes = {.B = s[0], .H = s[1], .T = s[2], .Dv = s[3], .R = long(parts.size())};
    for (const SoftmaxOutputs& part : parts)
      o.push_back(with_dense_rows(part.o.value())), L.push_back(contiguous(part.L.value()));
  }
  template <class E> MergeParts<E> pointers() const {
    MergeParts<E> all{};
    for (size_t r = 0; r < o.size(); r++) {
      const Strides& s = o[r].strides();
      all.of[r] = {o[r].data<E>(), L[r].data<E>(), {s[0], s[1], s[2]}};
    }
    return all;
  }
};

// do and dL of every part, in turn
std::vector<Tensor> gradients(const Merging& m, const Tensor& dy_given, const Tensor& dL_given) {
  const MergeSizes& z = m.sizes;
  const DType dtype = m.L[0].dtype();
  const Device device = m.L[0].device();
  const Tensor dy = dy_given.defined() ? contiguous(transpose(dy_given, 1, 2))
                                       : zeros({z.B, z.T, z.H, z.Dv}, dtype, device);  // (B, T, H, Dv)
  const Tensor dL = contiguous_or_none(dL_given);
  std::vector<Tensor> all;
  visit_maths("merge", dtype, [&](auto tag) {
    using E = decltype(tag);
    MergeGradients<E> to{};
    for (long r = 0; r < z.R; r++) {
      all.push_back(transpose(Tensor::empty(dy.shape(), dtype, device), 1, 2));
      all.push_back(Tensor::empty({z.B, z.H, z.T}, dtype, device));
      to.of[r] = {all[all.size() - 2].template mutable_data<E>(), all.back().template mutable_data<E>()};
    }
    kernels::softmax_merge_backward<E>(device)(to, dy.data<E>(), data_or_null<E>(dL), m.template pointers<E>(), z);
  });
  return all;
}

}  // namespace

SoftmaxOutputs merge(const std::vector<SoftmaxOutputs>& parts) {
  check_parts(parts);
  auto merging = std::make_shared<Merging>(parts);
  const MergeSizes& z = merging->sizes;
  const Tensor& like = merging->L[0];
  const Tensor o = transpose(Tensor::empty({z.B, z.T, z.H, z.Dv}, like.dtype(), like.device()), 1, 2);
  const Tensor L = Tensor::empty(like.shape(), like.dtype(), like.device());
  visit_maths("merge", like.dtype(), [&](auto tag) {
    using E = decltype(tag);
    kernels::softmax_merge<E>(like.device())(o.mutable_data<E>(), L.mutable_data<E>(), merging->template pointers<E>(),
                                             z);
  });
  std::vector<Input> inputs;
  std::vector<Saved> saved;
  for (const SoftmaxOutputs& part : parts) {
    inputs.push_back(part.o), inputs.push_back(part.L);
    if (grad_enabled()) saved.push_back(Saved(part.o.value())), saved.push_back(Saved(part.L.value()));
  }
  auto backward = [merging, saved = std::move(saved)](const std::vector<Tensor>& dys) {
    for (const Saved& each : saved) each.get();  // throws if somebody wrote there
    return Grads(gradients(*merging, dys[0], dys[1]));
  };
  std::vector<Variable> ys = record_many("merge", {o, L}, inputs, std::move(backward));
  return {ys[0], ys[1]};
}

}  // namespace heed
