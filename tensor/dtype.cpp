#include "tensor/dtype.h"

#include <cmath>

namespace heed {
namespace {

struct Info {
  const char* name;
  long bytes;
};

const Info& info(DType dtype) {
  static const Info table[] = {{"f32", 4}, {"f64", 8},     {"i32", 4},  {"i64", 8},
                               {"u8", 1},  {"boolean", 1}, {"bf16", 2}, {"f16", 2}};
  return table[static_cast<int>(dtype)];
}

}  // namespace

const char* name(DType dtype) { return info(dtype).name; }
long size_of(DType dtype) { return info(dtype).bytes; }
bool is_maths(DType dtype) { return dtype == f32 || dtype == f64; }
bool is_integer(DType dtype) { return dtype == i32 || dtype == i64 || dtype == u8; }
bool is_storage(DType dtype) { return dtype == bf16 || dtype == f16; }
bool holds(DType dtype, double number) {
  auto whole = [&](double low, double above) {
    return number >= low && number < above && number == std::floor(number);
  };
  switch (dtype) {
    case DType::boolean: return number == 0 || number == 1;
    case DType::u8: return whole(0, 0x1p8);
    case DType::i32: return whole(-0x1p31, 0x1p31);
    case DType::i64: return whole(-0x1p63, 0x1p63);
    default: return true;
  }
}

std::ostream& operator<<(std::ostream& out, DType dtype) { return out << name(dtype); }

void fail_not_maths(const char* op, DType given) {
  fail(op, "x is ", given, "; maths is done in f32 or f64. Cast first: cast(x, f32)");
}

BFloat16::BFloat16(float value) {
  uint32_t u = std::bit_cast<uint32_t>(value);
  bool nan = (u & 0x7fffffff) > 0x7f800000;
  // Adding half of the last kept place rounds to nearest; its odd bit breaks ties to even. A NaN stays a NaN.
  bits = nan ? uint16_t(u >> 16 | 0x40) : uint16_t((u + 0x7fff + (u >> 16 & 1)) >> 16);
}

Float16::Float16(float value) {
  uint32_t u = std::bit_cast<uint32_t>(value), sign = u >> 16 & 0x8000;
  u &= 0x7fffffff;
  if (u > 0x7f800000) {  // NaN
    bits = uint16_t(sign | 0x7e00);
  } else if (u >= 0x477ff000) {  // rounds to 65536 or more: infinity
    bits = uint16_t(sign | 0x7c00);
  } else if (u < 0x38800000) {  // below 2^-14: a subnormal, counted in steps of 2^-24
    // Adding 0.5 moves the value's last place to 2^-24, so that the hardware does the rounding.
    uint32_t steps = std::bit_cast<uint32_t>(std::bit_cast<float>(u) + 0.5f) - 0x3f000000;
    bits = uint16_t(sign | steps);
  } else {
    bits = uint16_t(sign | (u - 0x38000000 + 0xfff + (u >> 13 & 1)) >> 13);
  }
}

Float16::operator float() const {
  uint32_t sign = uint32_t(bits & 0x8000) << 16, exponent = bits >> 10 & 31, mantissa = bits & 0x3ff;
  if (exponent == 31) return std::bit_cast<float>(sign | 0x7f800000 | mantissa << 13);
  if (exponent == 0) {  // zero or subnormal: mantissa steps of 2^-24
    float magnitude = float(mantissa) * 0x1p-24f;
    return sign ? -magnitude : magnitude;
  }
  return std::bit_cast<float>(sign | (exponent + 112) << 23 | mantissa << 13);
}

}  // namespace heed
