#include "tensor/copy.h"

#include <utility>

#include "tensor/profile.h"
#include "tensor/views.h"

namespace heed {
namespace {

void* first_element(const Tensor& x) {
  if (profile::on()) [[unlikely]]
    profile::touch(x);
  return static_cast<char*>(x.storage()->data()) + x.offset() * size_of(x.dtype());
}

// The first and the last place in the storage that x shows.
std::pair<long, long> range_of(const Tensor& x) {
  long first = x.offset(), last = x.offset();
  for (int i = 0; i < x.dims(); i++) (x.strides()[i] < 0 ? first : last) += (x.shape()[i] - 1) * x.strides()[i];
  return {first, last};
}

Tensor copied(const Tensor& x, DType dtype) {
  Tensor y = Tensor::empty(x.shape(), dtype, x.device());
  copy_into(y, x);
  return y;
}

}  // namespace

// Several indices of an expanded view are one element: writing there would depend on the order.
void check_writable(const char* op, const Tensor& x) {
  check_defined(op, x);
  for (int i = 0; i < x.dims(); i++)
    HEED_CHECK(x.shape()[i] <= 1 || x.strides()[i] != 0, op, "the target ", x.shape(), " is expanded along axis ", i,
               ", so several of its places are one element. Write into clone(x)");
}

Tensor apart(const Tensor& x, const Tensor& target) {
  bool same_places = x.shape() == target.shape() && x.strides() == target.strides() && x.offset() == target.offset();
  if (x.storage() != target.storage() || same_places) return x;
  auto [x_first, x_last] = range_of(x);
  auto [first, last] = range_of(target);
  return x_last < first || last < x_first ? x : clone(x);
}

Tensor contiguous(const Tensor& x) {
  check_defined("contiguous", x);
  return x.is_contiguous() ? x : copied(x, x.dtype());
}

Tensor contiguous_or_none(const Tensor& x) { return x.defined() ? contiguous(x) : x; }

Tensor with_dense_rows(const Tensor& x) {
  return x.dims() == 0 || x.size(-1) <= 1 || x.strides()[x.dims() - 1] == 1 ? x : contiguous(x);
}

Tensor clone(const Tensor& x) {
  check_defined("clone", x);
  return copied(x, x.dtype());
}

Tensor cast(const Tensor& x, DType dtype) {
  check_defined("cast", x);
  return x.dtype() == dtype ? x : copied(x, dtype);
}

Tensor to(const Tensor& x, Device device) {
  check_defined("to", x);
  if (x.device() == device) return x;
  Tensor from = contiguous(x), y = Tensor::empty(x.shape(), x.dtype(), device);
  copy_bytes(first_element(y), device, first_element(from), x.device(), size_t(x.numel() * size_of(x.dtype())));
  return y;
}

void fill(const Tensor& x, double value) {
  check_writable("fill", x);
  HEED_CHECK(holds(x.dtype(), value), "fill", "x is ", x.dtype(), " and the value ", value,
             " is not one of this type. Choose another value, or cast x first");
  if (x.numel() == 0) return;
  x.storage()->note_write();
  kernels::strided_fill(x.device())(first_element(x), x.dtype(), value, make_loop(x.shape(), {&x}));
}

void copy_into(const Tensor& to, const Tensor& from) {
  check_writable("copy_into", to);
  check_defined("copy_into", from);
  HEED_CHECK(to.device() == from.device(), "copy_into", "the target is on ", to.device(), " and the source on ",
             from.device(), "; move the source with to(x, device)");
  HEED_CHECK(broadcast("copy_into", to.shape(), from.shape()) == to.shape(), "copy_into", "the target is ", to.shape(),
             " and the source ", from.shape(), "; the source must broadcast to the target");
  if (to.numel() == 0) return;
  Tensor source = apart(from, to);
  to.storage()->note_write();
  kernels::strided_copy(to.device())(first_element(to), to.dtype(), first_element(source), source.dtype(),
                                     make_loop(to.shape(), {&to, &source}));
}

}  // namespace heed
