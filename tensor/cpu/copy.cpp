// Strided copies with conversion between any two element types, and fills.
#include "tensor/copy.h"

#include <cstring>

#include "tensor/convert.h"
#include "tensor/cpu/transpose_copy.h"
#include "tensor/cpu/walk.h"

namespace heed {
namespace {

// A run along the innermost axis, with the steps that are common known to the compiler.
template <class To, class From> void copy_run(To* to, long to_step, const From* from, long from_step, long count) {
  if (to_step == 1 && from_step == 1) {
    if constexpr (std::is_same_v<To, From>)
      std::memcpy(to, from, size_t(count) * sizeof(To));
    else
      for (long i = 0; i < count; i++) to[i] = convert<To>(from[i]);
  } else if (to_step == 1 && from_step == 0) {
    std::fill_n(to, count, convert<To>(*from));
  } else {
    for (long i = 0; i < count; i++) to[i * to_step] = convert<To>(from[i * from_step]);
  }
}

template <class To, class From> void copy_elements(To* to, const From* from, const Loop& loop) {
  const int a = unit_axis(loop, 1), b = unit_axis(loop, 0);
  if constexpr (std::is_same_v<To, From>)
    if (a >= 0 && b >= 0 && a != b) return transpose_copy(to, from, loop, a, b);
  walk<2>(loop, [&](long count, const std::array<long, 2>& at) {
    copy_run(to + at[0], loop.strides[0].back(), from + at[1], loop.strides[1].back(), count);
  });
}

// Of one type only the size matters: all types of a size share their code.
template <long bytes>
using Bits =
    std::conditional_t<bytes == 1, uint8_t,
                       std::conditional_t<bytes == 2, uint16_t, std::conditional_t<bytes == 4, uint32_t, uint64_t>>>;

template <class To, class From> void copy_typed(void* to, const void* from, const Loop& loop) {
  constexpr bool same = std::is_same_v<To, From>;
  using Target = std::conditional_t<same, Bits<sizeof(To)>, To>;
  using Source = std::conditional_t<same, Bits<sizeof(From)>, From>;
  copy_elements(static_cast<Target*>(to), static_cast<const Source*>(from), loop);
}

// to = from, operands of the loop, each with its element type
void strided_copy_cpu(void* to, DType to_type, const void* from, DType from_type, const Loop& loop) {
  visit(to_type, [&](auto to_tag) {
    visit(from_type, [&](auto from_tag) { copy_typed<decltype(to_tag), decltype(from_tag)>(to, from, loop); });
  });
}

template <class E> void fill_run(E* x, long step, E value, long count) {
  if (step == 1)
    std::fill_n(x, count, value);
  else
    for (long i = 0; i < count; i++) x[i * step] = value;
}

// x = value, the loop's only operand
void strided_fill_cpu(void* x, DType dtype, double value, const Loop& loop) {
  visit(dtype, [&](auto tag) {
    using E = decltype(tag);
    E* target = static_cast<E*>(x);
    E element = convert<E>(value);
    walk<1>(loop, [&](long count, const std::array<long, 1>& at) {
      fill_run(target + at[0], loop.strides[0].back(), element, count);
    });
  });
}

const OnCpu copy{[](auto set) {
  set(kernels::strided_copy, strided_copy_cpu);
  set(kernels::strided_fill, strided_fill_cpu);
}};

}  // namespace
}  // namespace heed
