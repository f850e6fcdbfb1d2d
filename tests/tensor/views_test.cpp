// Every view against its definition, index by index, on random shapes; x's elements are their own numbers.
#include "tensor/views.h"

#include <limits>
#include <random>

#include "tensor/copy.h"
#include "tensor/create.h"
#include "tests/support/compare.h"

using namespace heed;

namespace {

struct Dice {
  std::mt19937 generator{7};
  long roll(long low, long high) { return low + long(generator() % uint32_t(high - low + 1)); }
  Shape shape(int dims, long least = 0) {
    Shape s;
    for (int i = 0; i < dims; i++) s.push_back(roll(least, 4));
    return s;
  }
};

Tensor numbered(const Shape& shape) { return reshape(arange(shape.numel()), shape); }

// Is y[index] = x[where(index)] everywhere, in the same storage?
void check_view(const Tensor& y, const Tensor& x, FunctionRef<Shape(const Shape&)> where) {
  BOOST_TEST(y.storage() == x.storage());
  for_each_index(y.shape(), [&](const Shape& index) { BOOST_TEST(y.at(index) == x.at(where(index))); });
}

// Some strided view of a fresh tensor: permuted, sliced, perhaps expanded.
Tensor strided(Dice& dice) {
  Tensor x = numbered(dice.shape(int(dice.roll(1, 4)), 1));
  for (int k = 0; k < 3; k++) {
    const int axis = int(dice.roll(0, x.dims() - 1));
    x = transpose(x, axis, -1);
    if (dice.roll(0, 1)) x = slice(x, axis, dice.roll(0, x.size(axis) - 1), x.size(axis), dice.roll(1, 2));
    if (x.size(axis) == 1 && dice.roll(0, 1)) {
      Shape wide = x.shape();
      wide[axis] = 3;
      x = expand(x, wide);
    }
  }
  return x;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(views_test)

BOOST_AUTO_TEST_CASE(transpose_swaps_two_indices) {
  Dice dice;
  for (int trial = 0; trial < 20; trial++) {
    Tensor x = numbered(dice.shape(3));
    const int a = int(dice.roll(0, 2)), b = int(dice.roll(0, 2));
    check_view(transpose(x, a, b - 3), x, [&](Shape i) { return std::swap(i[a], i[b]), i; });
  }
  BOOST_TEST(transpose(zeros({2, 3, 4})).shape() == (Shape{2, 4, 3}));
}

BOOST_AUTO_TEST_CASE(permute_moves_axis_order_i_to_i) {
  Dice dice;
  Shape order{0, 1, 2, 3};
  for (int trial = 0; trial < 24; trial++) {
    std::next_permutation(&order[0], &order[0] + 4);
    Tensor x = numbered(dice.shape(4));
    check_view(permute(x, order), x, [&](const Shape& index) {
      Shape from = Shape::filled(4, 0);
      for (int i = 0; i < 4; i++) from[int(order[i])] = index[i];
      return from;
    });
  }
  BOOST_TEST(permute(zeros({2, 3, 4}), {-1, 0, -2}).shape() == (Shape{4, 2, 3}));
  BOOST_TEST(permute(scalar(1), {}).item() == 1);
}

BOOST_AUTO_TEST_CASE(slice_takes_every_step_th_from_begin_to_end) {
  Dice dice;
  for (int trial = 0; trial < 50; trial++) {
    Tensor x = numbered(dice.shape(3));
    const int axis = int(dice.roll(0, 2));
    const long begin = dice.roll(0, x.size(axis)), end = dice.roll(begin, x.size(axis)), step = dice.roll(1, 3);
    Tensor y = slice(x, axis, begin, end, step);
    BOOST_TEST(y.size(axis) == (end - begin + step - 1) / step);
    check_view(y, x, [&](Shape i) { return i[axis] = begin + step * i[axis], i; });
  }
}

BOOST_AUTO_TEST_CASE(slice_counts_from_the_end_and_bears_any_step) {
  Tensor x = arange(5);
  BOOST_TEST(slice(x, 0, -3, -1).to_vector<int>() == (std::vector<int>{2, 3}));
  BOOST_TEST(slice(x, 0, 1, 5, std::numeric_limits<long>::max()).to_vector<int>() == (std::vector<int>{1}));
  BOOST_TEST(slice(x, 0, 5, 5, std::numeric_limits<long>::max()).numel() == 0);
}

BOOST_AUTO_TEST_CASE(select_fixes_one_index) {
  Dice dice;
  for (int trial = 0; trial < 30; trial++) {
    Tensor x = numbered(dice.shape(3, 1));
    const int axis = int(dice.roll(0, 2));
    const long at = dice.roll(0, x.size(axis) - 1);
    auto where = [&](Shape i) { return i.insert(axis, at), i; };
    check_view(select(x, axis, at), x, where);
    check_view(select(x, axis - 3, at - x.size(axis)), x, where);
  }
}

BOOST_AUTO_TEST_CASE(expand_repeats_axes_of_size_one) {
  Tensor x = numbered({2, 1, 3});
  check_view(expand(x, {4, 2, 5, 3}), x, [](const Shape& i) { return Shape{i[1], 0, i[3]}; });
  check_view(expand(x, {2, 0, 3}), x, [](const Shape& i) { return i; });
  BOOST_TEST(expand(scalar(3), {2, 2}).to_vector<int>() == (std::vector<int>{3, 3, 3, 3}));
  BOOST_TEST(expand(zeros({1}), {1L << 62}).numel() == 1L << 62);  // costs nothing
}

BOOST_AUTO_TEST_CASE(squeeze_undoes_unsqueeze) {
  Dice dice;
  for (int axis = -4; axis <= 3; axis++) {
    Tensor x = transpose(numbered(dice.shape(3))), y = unsqueeze(x, axis);
    const int at = axis < 0 ? axis + 4 : axis;
    BOOST_TEST(y.size(at) == 1);
    check_view(y, x, [&](Shape i) { return i.erase(at), i; });
    BOOST_TEST(squeeze(y, axis).shape() == x.shape());
  }
  BOOST_TEST(unsqueeze(scalar(1), 0).shape() == Shape{1});
}

BOOST_AUTO_TEST_CASE(reshape_of_any_strided_view_keeps_the_row_major_order) {
  Dice dice;
  for (int trial = 0; trial < 300; trial++) {
    Tensor x = strided(dice);
    Shape shape;  // random factors of the number of elements
    for (long left = x.numel(); left > 1 || shape.dims() == 0;) {
      long factor = dice.roll(1, left);
      while (left % factor) factor--;
      if (shape.dims() == kMaxDims - 1) factor = left;
      shape.push_back(factor);
      left /= factor;
    }
    BOOST_TEST(reshape(x, shape).to_vector<int>() == x.to_vector<int>());
    Shape open = shape;
    open[0] = -1;
    BOOST_TEST(reshape(x, open).shape() == shape);
  }
}

BOOST_AUTO_TEST_CASE(reshape_copies_only_when_it_must) {
  Tensor x = numbered({4, 6});
  auto is_view = [&](const Tensor& y) { return y.storage() == x.storage(); };
  BOOST_TEST(is_view(reshape(x, {2, 12})));
  BOOST_TEST(is_view(reshape(slice(x, 1, 0, 3), {2, 2, 3, 1})));                   // cut inside of each axis
  BOOST_TEST(is_view(reshape(slice(reshape(x, {4, 2, 3}), 0, 0, 4, 2), {2, 6})));  // merge what fits together
  BOOST_TEST(is_view(reshape(expand(reshape(x, {24, 1}), {24, 5}), {4, 6, 5})));
  BOOST_TEST(!is_view(flatten(transpose(x))));
  BOOST_TEST(!is_view(reshape(slice(x, 1, 0, 3), {12})));
}

BOOST_AUTO_TEST_CASE(reshape_handles_empty_and_single_element_tensors) {
  BOOST_TEST(reshape(zeros({0, 3}), {5, 0, 2}).shape() == (Shape{5, 0, 2}));
  BOOST_TEST(reshape(zeros({2, 0}), {-1, 3}).shape() == (Shape{0, 3}));
  BOOST_TEST(reshape(zeros({2, 0}), {-1, 0}).shape() == (Shape{0, 0}));
  BOOST_TEST(flatten(scalar(4)).shape() == Shape{1});
  BOOST_TEST(reshape(ones({1, 1}), {}).item() == 1);
}

BOOST_AUTO_TEST_CASE(views_of_empty_tensors_are_legal) {
  Tensor x = zeros({3, 0, 2});
  BOOST_TEST(select(x, 0, 2).shape() == (Shape{0, 2}));
  BOOST_TEST(slice(x, 1, 0, 0).shape() == (Shape{3, 0, 2}));
  BOOST_TEST(transpose(x, 0, 1).shape() == (Shape{0, 3, 2}));
  BOOST_TEST(expand(zeros({1, 0}), {4, 0}).shape() == (Shape{4, 0}));
  BOOST_TEST(clone(select(zeros({1L << 40, 0}), 0, (1L << 40) - 1)).numel() == 0);
}

BOOST_AUTO_TEST_SUITE_END()
