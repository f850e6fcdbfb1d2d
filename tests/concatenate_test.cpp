#include "tensor/concatenate.h"

#include "tensor/copy.h"
#include "tensor/create.h"
#include "tensor/views.h"
#include "tests/close.h"

using namespace heed;

BOOST_AUTO_TEST_SUITE(concatenate_test)

BOOST_AUTO_TEST_CASE(slices_of_the_result_are_the_parts) {
  for (int axis = 0; axis < 3; axis++)
    for (DType dtype : {f32, f64, i32, i64, u8, boolean, bf16, f16}) {
      std::vector<Tensor> parts;
      for (long size : {2, 0, 1, 5}) {
        Shape shape{3, 2, 4};
        shape[axis] = size;
        parts.push_back(cast(noise(shape, uint32_t(size)), dtype));
      }
      const Tensor y = concatenate(parts, axis - 3);
      BOOST_TEST(y.size(axis) == 8);
      long at = 0;
      for (const Tensor& part : parts) {
        BOOST_TEST(same_bits(slice(y, axis, at, at + part.size(axis)), part));
        at += part.size(axis);
      }
    }
}

BOOST_AUTO_TEST_CASE(cutting_and_joining_gives_the_same_tensor) {
  const Tensor x = transpose(noise({6, 9}));
  BOOST_TEST(same_bits(concatenate({slice(x, 0, 0, 4), slice(x, 0, 4, 9)}, 0), contiguous(x)));
  BOOST_TEST(same_bits(concatenate({x}, 1), contiguous(x)));
  BOOST_TEST(concatenate({x}, 1).storage() != x.storage());
}

BOOST_AUTO_TEST_CASE(empty_parts_make_an_empty_result) {
  BOOST_TEST(concatenate({zeros({0, 3}), zeros({0, 3})}, 0).shape() == (Shape{0, 3}));
  BOOST_TEST(concatenate({zeros({2, 0}), zeros({3, 0})}, 0).shape() == (Shape{5, 0}));
}

BOOST_AUTO_TEST_CASE(bad_parts_are_named) {
  BOOST_TEST(error_of([] { concatenate({}, 0); }) == "concatenate: no tensors were given; it needs at least one");
  BOOST_TEST(error_of([] {
               concatenate({zeros({2, 3}), zeros({4, 3}), zeros({2, 4})}, 0);
             }) == "concatenate: part 0 is (2, 3) and part 2 is (2, 4); all sizes but that of axis 0 must be equal");
  error_of([] { concatenate({zeros({2}), zeros({2, 1})}, 0); });
  error_of([] { concatenate({zeros({2}), zeros({2}, f64)}, 0); });
  error_of([] { concatenate({zeros({2}), Tensor()}, 0); });
  error_of([] { concatenate({scalar(1), scalar(2)}, 0); });
  const Tensor huge = expand(zeros({1}), {1L << 62});
  BOOST_TEST(error_of([&] {
               concatenate({huge, huge}, 0);
             }) == "concatenate: the sizes along axis 0 add up to more than 2^63 - 1");
}

BOOST_AUTO_TEST_SUITE_END()
