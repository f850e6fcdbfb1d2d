// Tensor: a value that shares storage. It has a shape, strides, an element type and a device, and knows nothing of
// gradients (autograd/variable.h does). Copying a Tensor is cheap and gives a second view of the same elements.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tensor/dtype.h"
#include "tensor/shape.h"
#include "tensor/storage.h"

namespace heed {

class Tensor {
 public:
  Tensor() = default;  // no tensor at all: defined() is false

  // Not yet filled, row-major. See create.h for zeros, full, arange, tensor, ...
  static Tensor empty(const Shape& shape, DType dtype = f32, Device device = cpu);
  // Another look at the same storage; the elements must lie inside of it.
  static Tensor view(const Tensor& of, const Shape& shape, const Strides& strides, long offset);

  bool defined() const { return storage_ != nullptr; }
  const Shape& shape() const { return shape_; }
  const Strides& strides() const { return strides_; }  // in elements
  int dims() const { return shape_.dims(); }
  long size(int axis) const {  // axis may count from the end: size(-1)
    const int i = axis < 0 ? axis + dims() : axis;
    if (unsigned(i) >= unsigned(dims())) [[unlikely]]
      axis_of("size", axis, shape_);  // throws
    return shape_[i];
  }
  long numel() const { return numel_; }
  long offset() const { return offset_; }  // of the first element in the storage
  DType dtype() const { return dtype_; }
  Device device() const;
  const std::shared_ptr<Storage>& storage() const { return storage_; }
  bool is_contiguous() const;  // row-major without gaps

  // The first element. T must be the element type (float for f32, ...); the memory is the device's.
  template <class E> const E* data() const { return static_cast<const E*>(raw(dtype_of<E>)); }
  // The same to write: counts as a write in the storage's version, so that autograd notices.
  template <class E> E* mutable_data() const { return static_cast<E*>(mutable_raw(dtype_of<E>)); }

  double item() const;                                  // the value of a tensor with one element
  double at(const Shape& index) const;                  // one element: x.at({1, 2})
  template <class E> std::vector<E> to_vector() const;  // all elements in row-major order, as T
  std::string str() const;                              // as printed: values, shape, dtype, device

 private:
  const void* raw(DType asked) const;
  void* mutable_raw(DType asked) const;

  std::shared_ptr<Storage> storage_;
  Shape shape_;
  Strides strides_;
  long offset_ = 0;
  long numel_ = 0;
  DType dtype_ = f32;
};

std::ostream& operator<<(std::ostream& out, const Tensor& x);

// For kernels whose operand may not be there: null if x is undefined.
template <class E> const E* data_or_null(const Tensor& x) { return x.defined() ? x.data<E>() : nullptr; }
template <class E> E* mutable_or_null(const Tensor& x) { return x.defined() ? x.mutable_data<E>() : nullptr; }

// Checks that doors share. Each throws with the op's name, what was given and a hint.
void check_defined(const char* op, const Tensor& x);
void check_same_kind(const char* op, const Tensor& a, const Tensor& b);  // dtype and device

}  // namespace heed
