#include "tensor/loop.h"

namespace heed {
namespace {

// Can axis i be walked as the continuation of the loop's last axis, in every operand?
bool continues(const Loop& loop, const Shape& shape, const Strides* strides, int i) {
  int last = loop.sizes.dims() - 1;
  if (last < 0) return false;
  for (int k = 0; k < loop.operands; k++)
    if (loop.strides[k][last] != strides[k][i] * shape[i]) return false;
  return true;
}

// The most frequent walk: all tensors have the shape and lie densely in memory. Is it one of these?
bool is_plain(const Shape& shape, std::initializer_list<const Tensor*> operands) {
  const Tensor& first = **operands.begin();
  if (first.numel() == 0 || !first.is_contiguous()) return false;
  for (const Tensor* x : operands)
    if (!(x->shape() == shape) || !(x->strides() == first.strides() || x->is_contiguous())) return false;
  return true;
}

}  // namespace

Loop make_loop(const Shape& shape, std::initializer_list<const Tensor*> operands) {
  Loop loop;
  if (is_plain(shape, operands)) {
    loop.operands = int(operands.size());
    loop.numel = (*operands.begin())->numel();
    loop.sizes.push_back(loop.numel);
    for (int k = 0; k < loop.operands; k++) loop.strides[k].push_back(1);
    return loop;
  }
  Strides strides[Loop::kMaxOperands];
  for (const Tensor* x : operands) {
    Strides& full = strides[loop.operands++] = Strides::filled(shape.dims(), 0);
    int shift = shape.dims() - x->dims();
    for (int i = 0; i < x->dims(); i++)
      if (x->shape()[i] != 1) full[i + shift] = x->strides()[i];
  }
  for (int i = 0; i < shape.dims(); i++) {
    if (shape[i] == 1) continue;
    bool merge = continues(loop, shape, strides, i);
    if (merge) loop.sizes[loop.sizes.dims() - 1] *= shape[i];
    if (!merge) loop.sizes.push_back(shape[i]);
    for (int k = 0; k < loop.operands; k++) {
      if (merge) loop.strides[k][loop.sizes.dims() - 1] = strides[k][i];
      if (!merge) loop.strides[k].push_back(strides[k][i]);
    }
  }
  if (loop.sizes.dims() == 0) {  // a single element
    loop.sizes.push_back(1);
    for (int k = 0; k < loop.operands; k++) loop.strides[k].push_back(1);
  }
  loop.numel = shape.numel();
  return loop;
}

}  // namespace heed
