// Strided copies with conversion between any two element types, and fills.
#include "tensor/copy.h"

#include "cuda/move.cuh"
#include "cuda/walk.cuh"
#include "tensor/convert.h"

namespace heed::cuda {
namespace {

// One kernel for each type that is written, with a branch on the type that is read: 64 pairs of types would be 64
// kernels.
template <class To> struct Converted {
  const void* from;
  DType type;

  __device__ To operator[](long at) const {
    switch (type) {
      case DType::f32: return convert<To>(static_cast<const float*>(from)[at]);
      case DType::f64: return convert<To>(static_cast<const double*>(from)[at]);
      case DType::i32: return convert<To>(static_cast<const int32_t*>(from)[at]);
      case DType::i64: return convert<To>(static_cast<const int64_t*>(from)[at]);
      case DType::u8: return convert<To>(static_cast<const uint8_t*>(from)[at]);
      case DType::boolean: return convert<To>(static_cast<const bool*>(from)[at]);
      case DType::bf16: return convert<To>(static_cast<const BFloat16*>(from)[at]);
      case DType::f16: break;
    }
    return convert<To>(static_cast<const Float16*>(from)[at]);
  }
};

// Of one type only the bits are moved: a NaN keeps its own.
template <class Bits> void copy_bits(void* to, const void* from, const Loop& loop) {
  auto* y = static_cast<Bits*>(to);
  auto* x = static_cast<const Bits*>(from);
  walk<2>("copy", loop, [=] __device__(const long* at) { y[at[0]] = x[at[1]]; });
}

template <class To> void copy_converted(void* to, const void* from, DType from_type, const Loop& loop) {
  auto* y = static_cast<To*>(to);
  const Converted<To> x{from, from_type};
  walk<2>("copy", loop, [=] __device__(const long* at) { y[at[0]] = x[at[1]]; });
}

void strided_copy(void* to, DType to_type, const void* from, DType from_type, const Loop& loop) {
  if (to_type != from_type)
    return visit(to_type, [&](auto tag) { copy_converted<decltype(tag)>(to, from, from_type, loop); });
  visit_bits(size_of(to_type), [&](auto tag) { copy_bits<decltype(tag)>(to, from, loop); });
}

template <class E> void fill_with(void* x, E value, const Loop& loop) {
  auto* y = static_cast<E*>(x);
  walk<1>("fill", loop, [=] __device__(const long* at) { y[at[0]] = value; });
}

void strided_fill(void* x, DType dtype, double value, const Loop& loop) {
  visit(dtype, [&](auto tag) { fill_with(x, convert<decltype(tag)>(value), loop); });
}

const OnCuda copies{[](auto set) {
  set(kernels::strided_copy, strided_copy);
  set(kernels::strided_fill, strided_fill);
}};

}  // namespace
}  // namespace heed::cuda
