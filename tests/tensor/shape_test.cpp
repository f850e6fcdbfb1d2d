#include "tensor/shape.h"

#include "tests/support/error_of.h"

using namespace heed;

BOOST_AUTO_TEST_SUITE(shape_test)

BOOST_AUTO_TEST_CASE(a_scalar_has_no_dimensions_and_one_element) {
  BOOST_TEST(Shape{}.dims() == 0);
  BOOST_TEST(Shape{}.numel() == 1);
}

BOOST_AUTO_TEST_CASE(numel_is_the_product_of_the_sizes) {
  BOOST_TEST((Shape{2, 3, 4}.numel()) == 24);
  BOOST_TEST((Shape{2, 0, 4}.numel()) == 0);
  BOOST_TEST((Shape{1L << 31, 1L << 31}.numel()) == 1L << 62);
}

BOOST_AUTO_TEST_CASE(numel_refuses_overflow_and_negative_sizes) {
  BOOST_TEST(error_of([] {
               Shape{1L << 32, 1L << 31}.numel();
             }) ==
             "shape: (4294967296, 2147483648) is too large; its sizes (a 0 counts as 1) multiply to more than "
             "2^63 - 1");
  BOOST_TEST(error_of([] { Shape{2, -3}.numel(); }) == "shape: (2, -3) has the negative size -3; sizes are 0 or more");
}

BOOST_AUTO_TEST_CASE(an_empty_shape_with_huge_other_sizes_is_refused) {  // its strides could not be counted
  BOOST_TEST(error_of([] { Shape{0, 1L << 40, 1L << 40}.numel(); }).find("a 0 counts as 1") != std::string::npos);
  BOOST_TEST((Shape{1L << 60, 0}.numel()) == 0);
}

BOOST_AUTO_TEST_CASE(prints_like_a_tuple) {
  BOOST_TEST(Shape{}.str() == "()");
  BOOST_TEST(Shape{3}.str() == "(3,)");
  BOOST_TEST((Shape{2, 3}.str()) == "(2, 3)");
}

BOOST_AUTO_TEST_CASE(insert_erase_and_push_back_keep_the_order) {
  Shape s{2, 4};
  s.insert(1, 3);
  s.insert(0, 1);
  s.push_back(5);
  BOOST_TEST(s == (Shape{1, 2, 3, 4, 5}));
  s.erase(0);
  s.erase(3);
  BOOST_TEST(s == (Shape{2, 3, 4}));
  BOOST_TEST(s.back() == 4);
  BOOST_TEST(!(s == Shape{2, 3}));
}

BOOST_AUTO_TEST_CASE(a_ninth_dimension_is_refused) {
  BOOST_TEST(error_of([] { Shape::filled(8, 1).push_back(7); }) ==
             "shape: a tensor has at most 8 dimensions; (1, 1, 1, 1, 1, 1, 1, 1) has no room for one more. Merge some "
             "with reshape");
}

BOOST_AUTO_TEST_CASE(row_major_strides_run_fastest_at_the_end) {
  BOOST_TEST(row_major({2, 3, 4}) == (Strides{12, 4, 1}));
  BOOST_TEST(row_major({2, 0, 4}) == (Strides{4, 4, 1}));
  BOOST_TEST(row_major({}) == Strides{});
}

BOOST_AUTO_TEST_CASE(axes_count_from_both_ends) {
  for (int axis = 0; axis < 3; axis++) {
    BOOST_TEST(axis_of("op", axis, {5, 6, 7}) == axis);
    BOOST_TEST(axis_of("op", axis - 3, {5, 6, 7}) == axis);
  }
  BOOST_TEST(error_of([] {
               axis_of("sum", 3, {5, 6, 7});
             }) == "sum: axis 3 is outside of x, which is (5, 6, 7); it has 3 dimensions, so axes run from -3 to 2");
  BOOST_TEST(error_of([] { axis_of("sum", 0, {}); }) ==
             "sum: axis 0 is outside of x, which is (); it has 0 dimensions");
  error_of([] { axis_of("sum", 1L << 32, {5, 6}); });  // must not wrap round to 0
}

BOOST_AUTO_TEST_CASE(broadcast_aligns_at_the_right_and_stretches_ones) {
  struct {
    Shape a, b, out;
  } table[] = {{{}, {}, {}},          {{3}, {}, {3}},  {{2, 1}, {3}, {2, 3}},   {{4, 1, 6}, {5, 1}, {4, 5, 6}},
               {{2, 0}, {1}, {2, 0}}, {{1}, {0}, {0}}, {{1, 3}, {2, 1}, {2, 3}}};
  for (const auto& [a, b, out] : table) {
    BOOST_TEST(broadcast("add", a, b) == out);
    BOOST_TEST(broadcast("add", b, a) == out);
  }
  BOOST_TEST(error_of([] {
               broadcast("add", {2, 3}, {4, 3});
             }) ==
             "add: a is (2, 3) and b is (4, 3); they do not broadcast: sizes aligned at the right must be equal or 1 "
             "(2 != 4). Use unsqueeze or reshape to line them up");
}

BOOST_AUTO_TEST_SUITE_END()
