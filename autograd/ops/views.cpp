#include "autograd/ops/views.h"

#include "tensor/create.h"
#include "tensor/ops/reduce.h"

namespace heed {
namespace {

// Ops that only show the elements in another shape: the gradient is shown in the old one.
Variable reshaped(const char* op, const Variable& x, const Tensor& y) {
  return record(op, y, {x}, [shape = x.shape()](const Tensor& dy) { return reshape(dy, shape); });
}

}  // namespace

Variable reshape(const Variable& x, const Shape& shape) { return reshaped("reshape", x, reshape(x.value(), shape)); }
Variable flatten(const Variable& x) { return reshaped("flatten", x, flatten(x.value())); }
Variable squeeze(const Variable& x, int axis) { return reshaped("squeeze", x, squeeze(x.value(), axis)); }
Variable unsqueeze(const Variable& x, int axis) { return reshaped("unsqueeze", x, unsqueeze(x.value(), axis)); }

Variable transpose(const Variable& x, int axis_a, int axis_b) {
  return record("transpose", transpose(x.value(), axis_a, axis_b), {x},
                [=](const Tensor& dy) { return transpose(dy, axis_a, axis_b); });
}

Variable permute(const Variable& x, const Shape& order) {
  return record("permute", permute(x.value(), order), {x}, [order](const Tensor& dy) {
    Shape inverse = order;
    for (int i = 0; i < order.dims(); i++) inverse[axis_of("permute", order[i], order)] = i;
    return permute(dy, inverse);
  });
}

// y is a part of x: the gradient is zero outside of it.
Variable slice(const Variable& x, int axis, long begin, long end, long step) {
  return record("slice", slice(x.value(), axis, begin, end, step), {x}, [=, shape = x.shape()](const Tensor& dy) {
    Tensor dx = zeros(shape, dy.dtype(), dy.device());
    copy_into(slice(dx, axis, begin, end, step), dy);
    return dx;
  });
}

Variable select(const Variable& x, int axis, long index) {
  return record("select", select(x.value(), axis, index), {x}, [=, shape = x.shape()](const Tensor& dy) {
    Tensor dx = zeros(shape, dy.dtype(), dy.device());
    copy_into(select(dx, axis, index), dy);
    return dx;
  });
}

Variable expand(const Variable& x, const Shape& shape) {
  return record("expand", expand(x.value(), shape), {x},
                [from = x.shape()](const Tensor& dy) { return sum_to(dy, from); });
}

Variable contiguous(const Variable& x) {
  return record("contiguous", contiguous(x.value()), {x}, [](const Tensor& dy) { return dy; });
}

Variable cast(const Variable& x, DType dtype) {
  HEED_CHECK(!is_storage(dtype) || !x.requires_grad(), "cast", "x takes a gradient and ", dtype,
             " is for storage, where none can flow. Use cast(detach(x), ", dtype, ")");
  Tensor y = cast(x.value(), dtype);
  if (!is_maths(dtype)) return y;
  return record("cast", y, {x}, [from = x.dtype()](const Tensor& dy) { return cast(dy, from); });
}

}  // namespace heed
