// Creating tensors. Random ones are in random.h.
#pragma once

#include <initializer_list>
#include <vector>

#include "tensor/kernel.h"
#include "tensor/tensor.h"

namespace heed {

Tensor zeros(const Shape& shape, DType dtype = f32, Device device = cpu);
Tensor ones(const Shape& shape, DType dtype = f32, Device device = cpu);
Tensor full(const Shape& shape, double value, DType dtype = f32, Device device = cpu);
Tensor scalar(double value, DType dtype = f32, Device device = cpu);  // shape ()
Tensor arange(long n, DType dtype = i64, Device device = cpu);        // 0, 1, ..., n-1
Tensor zeros_like(const Tensor& x);

// tensor({1, 2, 3, 4}, {2, 2}): the values in row-major order. Without a shape: one dimension.
Tensor tensor(std::initializer_list<double> values, DType dtype = f32);
Tensor tensor(std::initializer_list<double> values, const Shape& shape, DType dtype = f32);
template <class E> Tensor from_vector(const std::vector<E>& values, const Shape& shape);

// For the backends.
namespace kernels {
inline Kernel<void(int64_t* x, long n)> arange{"arange"};  // x[i] = i
}  // namespace kernels

}  // namespace heed
