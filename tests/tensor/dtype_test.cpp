#include "tensor/dtype.h"

#include <cmath>
#include <limits>

#include "tests/support/error_of.h"

using namespace heed;

namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();

// Every pattern of 16 bits, widened and narrowed again, gives itself; a NaN stays a NaN of the same sign.
template <class Half> int patterns_that_do_not_return() {
  int bad = 0;
  for (uint32_t bits = 0; bits < 65536; bits++) {
    Half half;
    half.bits = uint16_t(bits);
    const float wide = float(half);
    const Half again(wide);
    if (std::isnan(wide))
      bad += !std::isnan(float(again)) || (again.bits ^ bits) >> 15;
    else
      bad += again.bits != bits;
  }
  return bad;
}

// Rounding is to the nearest, and in the middle to the even neighbour: checked between all neighbours.
template <class Half> int middles_that_round_wrong(uint32_t infinity) {
  int bad = 0;
  for (uint32_t bits = 0; bits + 1 < infinity; bits++) {
    Half low, high;
    low.bits = uint16_t(bits);
    high.bits = uint16_t(bits + 1);
    const float middle = float((double(float(low)) + double(float(high))) / 2);
    const uint16_t even = uint16_t(bits + (bits & 1));
    for (float sign : {1.f, -1.f}) {
      const uint16_t minus = sign < 0 ? 0x8000 : 0;
      bad += Half(sign * middle).bits != (even | minus);
      bad += Half(sign * std::nextafter(middle, 0.f)).bits != (low.bits | minus);
      bad += Half(sign * std::nextafter(middle, kInf)).bits != (high.bits | minus);
    }
  }
  return bad;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(dtype_test)

BOOST_AUTO_TEST_CASE(every_type_has_a_name_a_size_and_a_kind) {
  struct {
    DType dtype;
    const char* text;
    long bytes;
    bool maths, integer, storage;
  } table[] = {{f32, "f32", 4, true, false, false},   {f64, "f64", 8, true, false, false},
               {i32, "i32", 4, false, true, false},   {i64, "i64", 8, false, true, false},
               {u8, "u8", 1, false, true, false},     {boolean, "boolean", 1, false, false, false},
               {bf16, "bf16", 2, false, false, true}, {f16, "f16", 2, false, false, true}};
  for (const auto& row : table) {
    BOOST_TEST(name(row.dtype) == std::string(row.text));
    BOOST_TEST(size_of(row.dtype) == row.bytes);
    BOOST_TEST(is_maths(row.dtype) == row.maths);
    BOOST_TEST(is_integer(row.dtype) == row.integer);
    BOOST_TEST(is_storage(row.dtype) == row.storage);
    BOOST_TEST(visit(row.dtype, [](auto x) { return dtype_of<decltype(x)>; }) == row.dtype);
    BOOST_TEST(visit(row.dtype, [](auto x) { return long(sizeof x); }) == row.bytes);
  }
}

BOOST_AUTO_TEST_CASE(visit_maths_refuses_other_types) {
  BOOST_TEST(visit_maths("op", f32, [](auto x) { return sizeof x; }) == 4u);
  BOOST_TEST(visit_maths("op", f64, [](auto x) { return sizeof x; }) == 8u);
  BOOST_TEST(error_of([] { visit_maths("exp", bf16, [](auto) {}); }) ==
             "exp: x is bf16; maths is done in f32 or f64. Cast first: cast(x, f32)");
}

BOOST_AUTO_TEST_CASE(all_16_bit_patterns_round_trip) {
  BOOST_TEST(patterns_that_do_not_return<BFloat16>() == 0);
  BOOST_TEST(patterns_that_do_not_return<Float16>() == 0);
}

BOOST_AUTO_TEST_CASE(rounding_is_to_nearest_and_ties_go_to_even) {  // subnormals too
  BOOST_TEST(middles_that_round_wrong<BFloat16>(0x7f80) == 0);
  BOOST_TEST(middles_that_round_wrong<Float16>(0x7c00) == 0);
}

BOOST_AUTO_TEST_CASE(too_large_becomes_infinity) {
  BOOST_TEST(Float16(65504.f).bits == 0x7bff);
  BOOST_TEST(Float16(65519.99f).bits == 0x7bff);
  BOOST_TEST(Float16(65520.f).bits == 0x7c00);  // the tie goes to the even neighbour, 65536
  BOOST_TEST(Float16(-1e30f).bits == 0xfc00);
  BOOST_TEST(float(Float16(kInf)) == kInf);
  BOOST_TEST(BFloat16(std::numeric_limits<float>::max()).bits == 0x7f80);
  BOOST_TEST(float(BFloat16(-kInf)) == -kInf);
}

BOOST_AUTO_TEST_CASE(tiny_values_are_subnormal_and_then_zero_with_their_sign) {
  BOOST_TEST(Float16(0x1p-24f).bits == 1);
  BOOST_TEST(Float16(0x1p-25f).bits == 0);  // a tie: to even, which is 0
  BOOST_TEST(Float16(0x1.8p-25f).bits == 1);
  BOOST_TEST(Float16(0x1.ffcp-15f).bits == 0x3ff + 1);  // rounds up into the normal numbers
  BOOST_TEST(Float16(-0.f).bits == 0x8000);
  BOOST_TEST(Float16(-0x1p-30f).bits == 0x8000);
  BOOST_TEST(BFloat16(0x1p-149f).bits == 0);
  BOOST_TEST(float(BFloat16(0x1p-133f)) == 0x1p-133f);
}

BOOST_AUTO_TEST_CASE(nan_stays_nan_even_when_its_payload_is_cut_off) {
  const float quiet = std::numeric_limits<float>::quiet_NaN(), low_payload = std::bit_cast<float>(0x7f800001u);
  for (float nan : {quiet, -quiet, low_payload}) {
    BOOST_TEST(std::isnan(float(BFloat16(nan))));
    BOOST_TEST(std::isnan(float(Float16(nan))));
  }
}

BOOST_AUTO_TEST_SUITE_END()
