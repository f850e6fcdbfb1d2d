// Comparing tensors, and the tensors that tests compare.
#pragma once

#include "system/function_ref.h"
#include "tensor/tensor.h"

// Fails the test, naming the first bad element, unless |got - want| <= tolerance * max(1, |want|) everywhere. The
// shapes must be equal; NaN is close to NaN and an infinity to itself.
void check_close(const heed::Tensor& got, const heed::Tensor& want, double tolerance);

// Are shape, type and every bit equal?
bool same_bits(const heed::Tensor& a, const heed::Tensor& b);

// Random numbers for tests: normal, the same in every run.
heed::Tensor noise(const heed::Shape& shape, uint32_t seed = 1, heed::DType dtype = heed::f64);

// Calls f with every index of the shape, in row-major order.
void for_each_index(const heed::Shape& shape, heed::FunctionRef<void(const heed::Shape&)> f);
