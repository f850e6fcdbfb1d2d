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

}  // namespace heed
