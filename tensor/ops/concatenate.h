// Joining tensors along an axis and cutting them again. For every element type.
#pragma once

#include <initializer_list>
#include <vector>

#include "tensor/tensor.h"

namespace heed {

// One after the other. All have the same sizes except along `axis`. The gradient of each part is a slice of dy.
Tensor concatenate(const std::vector<Tensor>& parts, int axis);
Tensor concatenate(std::initializer_list<Tensor> parts, int axis);  // concatenate({a, b}, 0) beside Variables

// Side by side along a new axis, which stands before `axis`: n tensors (3, 4) -> (3, n, 4) with axis 1. All have one
// shape. The gradient of each part is one index of dy.
Tensor stack(const std::vector<Tensor>& parts, int axis);
Tensor stack(std::initializer_list<Tensor> parts, int axis);

// The parts of x that have these sizes along `axis`, as views. The sizes add up to x's.
std::vector<Tensor> split(const Tensor& x, const std::vector<long>& sizes, int axis);
// `parts` views as equal as can be: 8 in 3 parts is 3, 3, 2. Parts are empty where x has too few elements.
std::vector<Tensor> chunk(const Tensor& x, long parts, int axis);
// dx from the parts' gradients; an undefined one stands for zeros, but at least one is defined.
Tensor split_backward(const std::vector<Tensor>& dys, const std::vector<long>& sizes, int axis, const Shape& x_shape);

// What chunk cuts `size` into.
std::vector<long> chunk_sizes(long size, long parts);

}  // namespace heed
