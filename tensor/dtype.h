// Element types. Maths happens in f32 and f64 (f64 so that gradient checks are sharp); i32, i64, u8 and boolean
// are indices and masks; bf16 and f16 are storage: they are cast, saved, loaded, and widened by matmul.
#pragma once

#include <bit>
#include <cstdint>
#include <ostream>

#include "system/error.h"

namespace heed {

enum class DType : uint8_t { f32, f64, i32, i64, u8, boolean, bf16, f16 };

inline constexpr DType f32 = DType::f32, f64 = DType::f64, i32 = DType::i32, i64 = DType::i64, u8 = DType::u8,
                       boolean = DType::boolean, bf16 = DType::bf16, f16 = DType::f16;

const char* name(DType dtype);           // "f32"
long size_of(DType dtype);               // bytes per element
bool is_maths(DType dtype);              // f32 or f64
bool is_integer(DType dtype);            // i32, i64 or u8
bool holds(DType dtype, double number);  // is it one of the type's numbers? Floats round: always
bool is_storage(DType dtype);            // bf16 or f16
std::ostream& operator<<(std::ostream& out, DType dtype);

// The upper half of a float: 8 bits of exponent, 7 of mantissa. Converts with round to nearest even.
struct BFloat16 {
  uint16_t bits = 0;
  BFloat16() = default;
  constexpr explicit BFloat16(float value) {
    const uint32_t u = std::bit_cast<uint32_t>(value);
    const bool nan = (u & 0x7fffffff) > 0x7f800000;
    // Adding half of the last kept place rounds to nearest; its odd bit breaks ties to even. A NaN stays a NaN.
    bits = nan ? uint16_t(u >> 16 | 0x40) : uint16_t((u + 0x7fff + (u >> 16 & 1)) >> 16);
  }
  constexpr explicit operator float() const { return std::bit_cast<float>(uint32_t(bits) << 16); }
};

// IEEE half precision: 5 bits of exponent, 10 of mantissa. Converts with round to nearest even.
struct Float16 {
  uint16_t bits = 0;
  Float16() = default;
  constexpr explicit Float16(float value) {
    uint32_t u = std::bit_cast<uint32_t>(value), sign = u >> 16 & 0x8000;
    u &= 0x7fffffff;
    if (u > 0x7f800000) {  // NaN
      bits = uint16_t(sign | 0x7e00);
    } else if (u >= 0x477ff000) {  // rounds to 65536 or more: infinity
      bits = uint16_t(sign | 0x7c00);
    } else if (u < 0x38800000) {  // below 2^-14: a subnormal, counted in steps of 2^-24
      // Adding 0.5 moves the value's last place to 2^-24, so that the hardware does the rounding.
      bits = uint16_t(sign | (std::bit_cast<uint32_t>(std::bit_cast<float>(u) + 0.5f) - 0x3f000000));
    } else {
      bits = uint16_t(sign | (u - 0x38000000 + 0xfff + (u >> 13 & 1)) >> 13);
    }
  }
  constexpr explicit operator float() const {
    const uint32_t sign = uint32_t(bits & 0x8000) << 16, exponent = bits >> 10 & 31, mantissa = bits & 0x3ff;
    if (exponent == 31) return std::bit_cast<float>(sign | 0x7f800000 | mantissa << 13);
    if (exponent == 0) {  // zero or subnormal: mantissa steps of 2^-24
      const float magnitude = float(mantissa) * 0x1p-24f;
      return sign ? -magnitude : magnitude;
    }
    return std::bit_cast<float>(sign | (exponent + 112) << 23 | mantissa << 13);
  }
};

template <class E> inline constexpr DType dtype_of = DType(255);  // 255: not an element type
template <> inline constexpr DType dtype_of<float> = f32;
template <> inline constexpr DType dtype_of<double> = f64;
template <> inline constexpr DType dtype_of<int32_t> = i32;
template <> inline constexpr DType dtype_of<int64_t> = i64;
template <> inline constexpr DType dtype_of<uint8_t> = u8;
template <> inline constexpr DType dtype_of<bool> = boolean;
template <> inline constexpr DType dtype_of<BFloat16> = bf16;
template <> inline constexpr DType dtype_of<Float16> = f16;

[[noreturn]] void fail_not_maths(const char* op, DType given);

// Calls f(float()) or f(double()); any other type is an error that says "cast first".
template <class F> auto visit_maths(const char* op, DType dtype, F&& f) {
  if (dtype == f32) return f(float());
  if (dtype == f64) return f(double());
  fail_not_maths(op, dtype);
}

// Calls f with a value of the element type, whichever it is.
template <class F> auto visit(DType dtype, F&& f) {
  switch (dtype) {
    case DType::f32: return f(float());
    case DType::f64: return f(double());
    case DType::i32: return f(int32_t());
    case DType::i64: return f(int64_t());
    case DType::u8: return f(uint8_t());
    case DType::boolean: return f(bool());
    case DType::bf16: return f(BFloat16());
    case DType::f16: break;
  }
  return f(Float16());
}

}  // namespace heed
