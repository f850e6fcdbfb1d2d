#include "autograd/ops/concatenate.h"

#include "autograd/gradcheck.h"
#include "autograd/ops/elementwise.h"
#include "autograd/ops/reduce.h"
#include "tensor/copy.h"
#include "tensor/create.h"
#include "tensor/views.h"
#include "tests/support/compare.h"
#include "tests/support/error_of.h"

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
  BOOST_TEST(error_of([] { concatenate(std::vector<Tensor>(), 0); }) ==
             "concatenate: no tensors were given; it needs at least one");
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

BOOST_AUTO_TEST_CASE(stack_shows_each_part_at_its_index) {
  for (DType dtype : {f32, f64, i32, i64, u8, boolean, bf16, f16})
    for (int axis = 0; axis < 3; axis++) {
      const Tensor a = cast(noise({3, 5}), dtype), b = cast(transpose(noise({5, 3}, 2)), dtype);
      const Tensor y = stack({a, b, a}, axis - 3);
      BOOST_TEST(y.size(axis) == 3);
      BOOST_TEST(same_bits(y, stack({a, b, a}, axis)));
      BOOST_TEST((same_bits(select(y, axis, 0), a) && same_bits(select(y, axis, 1), b)));
    }
  BOOST_TEST(same_bits(stack({scalar(1), scalar(2)}, 0), tensor({1, 2})));
  BOOST_TEST(stack({zeros({2, 0})}, -1).shape() == (Shape{2, 0, 1}));
}

BOOST_AUTO_TEST_CASE(split_gives_views_that_join_to_the_same_tensor) {
  const Tensor x = transpose(noise({6, 9}));
  for (int axis : {0, 1, -1}) {
    const long n = x.size(axis);
    for (const std::vector<long>& sizes : {std::vector<long>{n}, {2, 0, n - 2}, {0, n}, {1, 1, n - 3, 1}}) {
      const std::vector<Tensor> parts = split(x, sizes, axis);
      BOOST_TEST_REQUIRE(parts.size() == sizes.size());
      for (size_t i = 0; i < parts.size(); i++)
        BOOST_TEST((parts[i].size(axis) == sizes[i] && parts[i].storage() == x.storage()));
      BOOST_TEST(same_bits(concatenate(parts, axis), contiguous(x)));
    }
  }
  BOOST_TEST(split(zeros({0, 2}), {}, 0).empty());
}

BOOST_AUTO_TEST_CASE(chunks_are_as_equal_as_can_be) {
  auto sizes = [](long size, long parts) {
    std::vector<long> all;
    for (const Tensor& part : chunk(zeros({2, size}), parts, -1)) all.push_back(part.size(1));
    return all;
  };
  BOOST_TEST(sizes(8, 3) == (std::vector<long>{3, 3, 2}));
  BOOST_TEST(sizes(6, 3) == (std::vector<long>{2, 2, 2}));
  BOOST_TEST(sizes(2, 3) == (std::vector<long>{1, 1, 0}));
  BOOST_TEST(sizes(0, 2) == (std::vector<long>{0, 0}));
}

BOOST_AUTO_TEST_CASE(concatenate_stack_split_and_chunk_pass_gradcheck) {
  gradcheck([](auto& x) { return concatenate({x[0], x[1], x[0]}, 1); }, {noise({2, 3}), noise({2, 1}, 2)});
  for (int axis : {0, 1, -1}) {
    gradcheck([=](auto& x) { return stack({x[0], x[1], x[0]}, axis); }, {noise({2, 3}), noise({2, 3}, 2)});
    gradcheck_many([=](auto& x) { return split(x[0], {2, 0, 3}, axis); }, {noise({5, 5})});
    gradcheck_many([=](auto& x) { return chunk(x[0], 3, axis); }, {noise({4, 7})});
  }
  gradcheck([](auto& x) { return stack({x[0]}, 0); }, {noise({})});
  gradcheck_many([](auto& x) { return split(x[0], {1}, 0); }, {noise({1})});
  gradcheck_many([](auto& x) { return chunk(x[0], 2, 1); }, {noise({3, 0})});
}

BOOST_AUTO_TEST_CASE(a_part_that_is_not_used_has_a_zero_gradient) {
  const Variable x = Variable::leaf(noise({6}));
  const std::vector<Variable> parts = split(x, {1, 2, 3}, 0);
  sum(parts[1] * 2.0).backward();
  BOOST_TEST(same_bits(x.grad(), tensor({0, 2, 2, 0, 0, 0}, f64)));
}

BOOST_AUTO_TEST_CASE(lists_of_tensors_and_of_variables_find_their_door) {
  const Tensor a = noise({2}), b = noise({3}, 2);
  const Variable v = Variable::leaf(a);
  static_assert(std::is_same_v<decltype(concatenate({a, b}, 0)), Tensor>);
  static_assert(std::is_same_v<decltype(concatenate({v, b}, 0)), Variable>);
  static_assert(std::is_same_v<decltype(stack({v, v}, 0)), Variable>);
  BOOST_TEST(same_bits(concatenate({v, b}, 0).value(), concatenate({a, b}, 0)));
}

BOOST_AUTO_TEST_CASE(bad_input_of_stack_and_split_is_named) {
  BOOST_TEST(error_of([] { stack(std::vector<Tensor>(), 0); }) ==
             "stack: no tensors were given; it needs at least one");
  BOOST_TEST(error_of([] {
               stack({zeros({2, 3}), zeros({2, 3}), zeros({3, 2})}, 0);
             }) ==
             "stack: part 0 is (2, 3) and part 2 is (3, 2); they must be equal. Parts of different sizes: "
             "concatenate");
  BOOST_TEST(error_of([] { stack({zeros({2})}, 2); }) ==
             "stack: axis 2 is outside of the result; the parts are (2,), so the new axis is one of -2 to 1");
  BOOST_TEST(
      error_of([] {
        split(zeros({2, 5}), {2, 2}, 1);
      }) ==
      "split: x is (2, 5) and the sizes are [2, 2]; they must be 0 or more and add up to 5, its size along axis 1");
  error_of([] { split(zeros({5}), {6, -1}, 0); });
  error_of([] { split(zeros({5}), {1L << 62, 1L << 62, 5}, 0); });
  BOOST_TEST(error_of([] { chunk(zeros({5}), 0, 0); }) == "chunk: the number of parts is 0; it must be 1 or more");
  error_of([] { chunk(scalar(1), 1, 0); });
  error_of([] { chunk(Variable(), 1, 0); });
  error_of([] { split(Tensor(), {}, 0); });
  error_of([] { stack({Tensor()}, 0); });
  error_of([] { stack({zeros({2}), zeros({2}, f64)}, 0); });
}

BOOST_AUTO_TEST_SUITE_END()
