#include "tensor/create.h"

#include <cmath>
#include <limits>

#include "tests/support/error_of.h"

using namespace heed;

BOOST_AUTO_TEST_SUITE(create_test)

BOOST_AUTO_TEST_CASE(constants_fill_every_element_of_any_type) {
  for (DType dtype : {f32, f64, i32, i64, u8, boolean, bf16, f16}) {
    BOOST_TEST(zeros({2, 2}, dtype).to_vector<int>() == std::vector<int>(4, 0));
    BOOST_TEST(ones({3}, dtype).to_vector<int>() == std::vector<int>(3, 1));
    if (dtype != boolean) BOOST_TEST(full({2}, 5, dtype).to_vector<int>() == std::vector<int>(2, 5));
    BOOST_TEST(scalar(1, dtype).shape() == Shape{});
    BOOST_TEST(zeros_like(ones({2, 3}, dtype)).shape() == (Shape{2, 3}));
    BOOST_TEST(zeros_like(ones({2, 3}, dtype)).dtype() == dtype);
  }
}

BOOST_AUTO_TEST_CASE(a_number_that_a_type_does_not_hold_is_refused) {
  BOOST_TEST(error_of([] { full({2}, 300, u8); }) ==
             "fill: x is u8 and the value 300 is not one of this type. Choose another value, or cast x first");
  for (auto [dtype, bad] : {std::pair{i64, 0.5}, {i64, 0x1p63}, {i32, NAN}, {boolean, 2.0}, {u8, -1.0}, {i32, 0x1p31}})
    BOOST_CHECK_THROW(full({2}, bad, dtype), Error);
  BOOST_TEST(full({1}, -0x1p63, i64).to_vector<int64_t>()[0] == std::numeric_limits<int64_t>::min());
}

BOOST_AUTO_TEST_CASE(empty_shapes_are_legal) {
  BOOST_TEST(zeros({0}).numel() == 0);
  BOOST_TEST(ones({3, 0, 2}).shape() == (Shape{3, 0, 2}));
  BOOST_TEST(tensor({}).shape() == Shape{0});
}

BOOST_AUTO_TEST_CASE(arange_counts_from_zero) {
  BOOST_TEST(arange(4).dtype() == i64);
  BOOST_TEST(arange(4).to_vector<int>() == (std::vector<int>{0, 1, 2, 3}));
  BOOST_TEST(arange(3, f64).to_vector<double>() == (std::vector<double>{0, 1, 2}));
  BOOST_TEST(arange(0).shape() == Shape{0});
  BOOST_TEST(error_of([] { arange(-1); }) == "arange: n is -1; it must be 0 or more");
}

BOOST_AUTO_TEST_CASE(tensor_takes_values_in_row_major_order) {
  Tensor x = tensor({1, 2, 3, 4, 5, 6}, {2, 3});
  BOOST_TEST(x.dtype() == f32);
  BOOST_TEST(x.at({1, 0}) == 4);
  BOOST_TEST(tensor({1, 2.5}).shape() == Shape{2});
  BOOST_TEST(tensor({0.1}, f64).item() == 0.1);
  BOOST_TEST(tensor({1, 2}, i64).dtype() == i64);
  BOOST_TEST(error_of([] {
               tensor({1, 2, 3}, {2, 2});
             }) == "tensor: 3 values were given for shape (2, 2), which has 4 elements");
}

BOOST_AUTO_TEST_CASE(from_vector_keeps_type_and_bits) {
  BOOST_TEST(from_vector(std::vector<float>{1.5f, 2}, {2, 1}).dtype() == f32);
  BOOST_TEST(from_vector(std::vector<double>{0.1}, {}).item() == 0.1);
  BOOST_TEST(from_vector(std::vector<int32_t>{-7}, {1}).item() == -7);
  BOOST_TEST(from_vector(std::vector<int64_t>{1L << 52}, {1}).item() == double(1L << 52));
  BOOST_TEST(from_vector(std::vector<uint8_t>{255}, {1}).item() == 255);
  BOOST_TEST(from_vector(std::vector<bool>{true, false}, {2}).dtype() == boolean);
  BOOST_TEST(from_vector(std::vector<float>{}, {0, 4}).shape() == (Shape{0, 4}));
}

BOOST_AUTO_TEST_SUITE_END()
