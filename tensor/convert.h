// One element of any type as one of another: what copies, casts and fills do on every device.
#pragma once

#include <limits>
#include <type_traits>

#include "tensor/dtype.h"

namespace heed {

// C++ leaves this open outside of the integer's range; we take the nearest integer there is, and 0 for NaN.
template <class To, class From> constexpr To to_integer(From x) {
  constexpr From low = From(std::numeric_limits<To>::min()), high = From(std::numeric_limits<To>::max());
  if (!(x > low)) return x != x ? To(0) : std::numeric_limits<To>::min();
  return x >= high ? std::numeric_limits<To>::max() : To(x);
}

template <class To, class From> constexpr To convert(From x) {
  if constexpr (std::is_same_v<To, From>)
    return x;
  else if constexpr (std::is_same_v<From, BFloat16> || std::is_same_v<From, Float16>)
    return convert<To>(float(x));
  else if constexpr (std::is_same_v<To, BFloat16> || std::is_same_v<To, Float16>)
    return To(float(x));
  else if constexpr (std::is_same_v<To, bool>)
    return x != From(0);
  else if constexpr (std::is_integral_v<To> && std::is_floating_point_v<From>)
    return to_integer<To>(x);
  else
    return To(x);
}

}  // namespace heed
