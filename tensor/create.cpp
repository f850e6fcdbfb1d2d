#include "tensor/create.h"

#include <algorithm>

#include "tensor/copy.h"

namespace heed {

Tensor full(const Shape& shape, double value, DType dtype, Device device) {
  Tensor x = Tensor::empty(shape, dtype, device);
  fill(x, value);
  return x;
}

Tensor zeros(const Shape& shape, DType dtype, Device device) { return full(shape, 0, dtype, device); }
Tensor ones(const Shape& shape, DType dtype, Device device) { return full(shape, 1, dtype, device); }
Tensor scalar(double value, DType dtype, Device device) { return full({}, value, dtype, device); }
Tensor zeros_like(const Tensor& x) { return zeros(x.shape(), x.dtype(), x.device()); }

Tensor arange(long n, DType dtype, Device device) {
  HEED_CHECK(n >= 0, "arange", "n is ", n, "; it must be 0 or more");
  Tensor x = Tensor::empty({n}, i64, device);
  kernels::arange(device)(x.mutable_data<int64_t>(), n);
  if (n > 0) x.storage()->note_within(0, n);
  return cast(x, dtype);
}

Tensor tensor(std::initializer_list<double> values, DType dtype) {
  return tensor(values, Shape{long(values.size())}, dtype);
}

Tensor tensor(std::initializer_list<double> values, const Shape& shape, DType dtype) {
  return cast(from_vector(std::vector<double>(values), shape), dtype);
}

template <class E> Tensor from_vector(const std::vector<E>& values, const Shape& shape) {
  HEED_CHECK(shape.numel() == long(values.size()), "tensor", values.size(), " values were given for shape ", shape,
             ", which has ", shape.numel(), " elements");
  Tensor x = Tensor::empty(shape, dtype_of<E>);
  std::copy(values.begin(), values.end(), x.mutable_data<E>());
  return x;
}

template Tensor from_vector(const std::vector<float>&, const Shape&);
template Tensor from_vector(const std::vector<double>&, const Shape&);
template Tensor from_vector(const std::vector<int32_t>&, const Shape&);
template Tensor from_vector(const std::vector<int64_t>&, const Shape&);
template Tensor from_vector(const std::vector<uint8_t>&, const Shape&);
template Tensor from_vector(const std::vector<bool>&, const Shape&);

}  // namespace heed
