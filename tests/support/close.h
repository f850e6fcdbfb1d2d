// What the tests share: comparing tensors, reading error texts, choosing the number of threads.
#pragma once

#include <string>

#include "system/parallel.h"
#include "tensor/tensor.h"

// Fails the test, naming the first bad element, unless |got - want| <= tolerance * max(1, |want|) everywhere. The
// shapes must be equal; NaN is close to NaN and an infinity to itself.
void check_close(const heed::Tensor& got, const heed::Tensor& want, double tolerance);

// Are shape, type and every bit equal?
bool same_bits(const heed::Tensor& a, const heed::Tensor& b);

// The text of the heed::Error that f throws; fails the test when it throws nothing.
std::string error_of(heed::FunctionRef<void()> f);

// Runs f with this many threads and puts the old number back.
void on_threads(int count, heed::FunctionRef<void()> f);

// Random numbers for tests: normal, the same in every run.
heed::Tensor noise(const heed::Shape& shape, uint32_t seed = 1, heed::DType dtype = heed::f64);

// The bytes of a file.
std::string read_file(const std::string& path);

// Calls f with every index of the shape, in row-major order.
void for_each_index(const heed::Shape& shape, heed::FunctionRef<void(const heed::Shape&)> f);
