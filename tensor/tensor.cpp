#include "tensor/tensor.h"

#include <algorithm>

#include "tensor/copy.h"
#include "tensor/profile.h"

namespace heed {

Tensor Tensor::empty(const Shape& shape, DType dtype, Device device) {
  Tensor x;
  x.numel_ = shape.numel();
  long bytes;
  HEED_CHECK(!__builtin_mul_overflow(x.numel_, size_of(dtype), &bytes), "empty", shape, " of ", dtype,
             " has more bytes than 2^63 - 1");
  x.shape_ = shape;
  x.strides_ = row_major(shape);
  x.dtype_ = dtype;
  x.storage_ = std::make_shared<Storage>(size_t(bytes), device);
  return x;
}

Tensor Tensor::view(const Tensor& of, const Shape& shape, const Strides& strides, long offset) {
  check_defined("view", of);
  Tensor x = of;
  x.numel_ = shape.numel();
  x.shape_ = shape;
  x.strides_ = strides;
  x.offset_ = x.numel_ ? offset : 0;
  __int128 first = offset, last = offset;  // wide: a stride may be any number
  for (int i = 0; i < shape.dims(); i++) (strides[i] < 0 ? first : last) += __int128(shape[i] - 1) * strides[i];
  long room = long(of.storage_->bytes()) / size_of(of.dtype_);
  HEED_CHECK(shape.dims() == strides.dims() && (x.numel_ == 0 || (first >= 0 && last < room)), "view", "shape ", shape,
             " with strides ", strides, " from element ", offset, " reaches outside of its storage of ", room,
             " elements");
  return x;
}

Device Tensor::device() const {
  if (!storage_) [[unlikely]]
    check_defined("device", *this);
  return storage_->device();
}

bool Tensor::is_contiguous() const {
  if (numel_ <= 1) return true;
  long expected = 1;
  for (int i = dims() - 1; i >= 0; i--) {
    if (shape_[i] != 1 && strides_[i] != expected) return false;
    expected *= shape_[i];
  }
  return true;
}

const void* Tensor::raw(DType asked) const {
  if (!storage_) [[unlikely]]
    check_defined("data", *this);
  HEED_CHECK(asked == dtype_, "data", "the elements are ", dtype_, ", not ",
             asked == DType(255) ? "of the asked C++ type" : name(asked), "; cast first or ask for the right type");
  if (profile::on()) [[unlikely]]
    profile::touch(*this);
  return static_cast<const char*>(storage_->data()) + offset_ * size_of(dtype_);
}

void* Tensor::mutable_raw(DType asked) const {
  void* memory = const_cast<void*>(raw(asked));
  storage_->note_write();
  return memory;
}

double Tensor::item() const {
  check_defined("item", *this);
  HEED_CHECK(numel_ == 1, "item", "x is ", shape_, " with ", numel_,
             " elements; item() reads a tensor with one. Use at({...})");
  return to_vector<double>()[0];
}

double Tensor::at(const Shape& index) const {
  check_defined("at", *this);
  HEED_CHECK(index.dims() == dims(), "at", "index ", index, " has ", index.dims(), " numbers, x is ", shape_,
             " and needs ", dims());
  long position = offset_;
  for (int i = 0; i < dims(); i++) {
    HEED_CHECK(index[i] >= 0 && index[i] < shape_[i], "at", "index ", index, " is outside of x, which is ", shape_);
    position += index[i] * strides_[i];
  }
  return view(*this, {}, {}, position).item();
}

template <class E> std::vector<E> Tensor::to_vector() const {
  check_defined("to_vector", *this);
  Tensor x = contiguous(cast(to(*this, cpu), dtype_of<E>));
  return std::vector<E>(x.data<E>(), x.data<E>() + numel_);
}

template std::vector<float> Tensor::to_vector() const;
template std::vector<double> Tensor::to_vector() const;
template std::vector<int32_t> Tensor::to_vector() const;
template std::vector<int64_t> Tensor::to_vector() const;
template std::vector<uint8_t> Tensor::to_vector() const;
template std::vector<bool> Tensor::to_vector() const;

void check_defined(const char* op, const Tensor& x) {
  HEED_CHECK(x.defined(), op, "got an undefined tensor; create one with zeros, randn, tensor, ...");
}

void check_same_kind(const char* op, const Tensor& a, const Tensor& b) {
  const Storage *sa = a.storage().get(), *sb = b.storage().get();
  if (sa && sb && a.dtype() == b.dtype() && sa->device() == sb->device()) [[likely]]
    return;
  check_defined(op, a);
  check_defined(op, b);
  HEED_CHECK(a.device() == b.device(), op, "a is on ", a.device(), " and b is on ", b.device(),
             "; both must be on one device. Move one with to(x, device)");
  HEED_CHECK(a.dtype() == b.dtype(), op, "a is ", a.dtype(), " and b is ", b.dtype(),
             "; types are never mixed silently. Cast first: cast(x, ", a.dtype(), ")");
}

}  // namespace heed
