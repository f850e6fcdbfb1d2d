#include "autograd/ops/pad.h"

#include <limits>

#include "autograd/gradcheck.h"
#include "tensor/copy.h"
#include "tensor/create.h"
#include "tensor/views.h"
#include "tests/support/compare.h"
#include "tests/support/error_of.h"
#include "tests/support/on_threads.h"

using namespace heed;

namespace {

const DType kAll[] = {f32, f64, i32, i64, u8, boolean, bf16, f16};

// The shapes of y and the value of each of its elements, as a function of where it comes from: `from(r)` is the place
// along the axis in x, or -1 for `value`.
void check_moved(const Tensor& y, const Tensor& x, int axis, long size, FunctionRef<long(long)> from,
                 double value = 0) {
  Shape shape = x.shape();
  shape[axis] = size;
  BOOST_TEST_REQUIRE(y.shape() == shape);
  BOOST_TEST((y.dtype() == x.dtype() && y.storage() != x.storage()));
  for_each_index(shape, [&](Shape i) {
    const double got = y.at(i);
    i[axis] = from(i[axis]);
    BOOST_TEST(got == (i[axis] < 0 ? value : x.at(i)));
  });
}

// Calls f(x, axis, n) for all axes of some layouts and types.
void for_layouts(FunctionRef<void(const Tensor& x, int axis, long n)> f) {
  const Tensor base = noise({2, 3, 5});
  for (const Tensor& x : {base, transpose(base), expand(slice(base, 1, 0, 1), {2, 3, 5}), slice(base, 2, 0, 5, 2)})
    for (int axis = 0; axis < 3; axis++) f(x, axis, x.size(axis));
  for (DType dtype : kAll) f(cast(base, dtype), 1, 3);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(pad_test)

BOOST_AUTO_TEST_CASE(pad_puts_the_value_on_both_sides) {
  for_layouts([](const Tensor& x, int axis, long n) {
    for (auto [before, after] : {std::pair{0L, 0L}, {2L, 0L}, {0L, 3L}, {1L, 2L}})
      check_moved(
          pad(x, axis - 3, before, after, 1), x, axis, n + before + after,
          [before = before, n](long r) { return r < before || r >= before + n ? -1 : r - before; }, 1);
  });
  BOOST_TEST(same_bits(pad(zeros({0, 2}), 0, 1, 1, 3), full({2, 2}, 3)));
}

BOOST_AUTO_TEST_CASE(roll_brings_back_what_leaves) {
  BOOST_TEST(same_bits(roll(tensor({1, 2, 3, 4}), 1, 0), tensor({4, 1, 2, 3})));
  for_layouts([](const Tensor& x, int axis, long n) {
    for (long shift : {0L, 1L, -1L, n, -n, 2 * n + 1, -5 * n - 2})
      check_moved(roll(x, shift, axis - 3), x, axis, n, [=](long r) { return ((r - shift) % n + n) % n; });
  });
  roll(zeros({3}), std::numeric_limits<long>::min(), 0);
  BOOST_TEST(roll(zeros({2, 0}), 1, 1).shape() == (Shape{2, 0}));
}

BOOST_AUTO_TEST_CASE(repeat_gives_blocks_and_repeat_interleave_neighbours) {
  BOOST_TEST(same_bits(repeat(tensor({1, 2, 3}), 2, 0), tensor({1, 2, 3, 1, 2, 3})));
  BOOST_TEST(same_bits(repeat_interleave(tensor({1, 2, 3}), 2, 0), tensor({1, 1, 2, 2, 3, 3})));
  for_layouts([](const Tensor& x, int axis, long n) {
    for (long times : {0L, 1L, 2L, 3L}) {
      check_moved(repeat(x, times, axis - 3), x, axis, n * times, [=](long r) { return r % n; });
      check_moved(repeat_interleave(x, times, axis - 3), x, axis, n * times, [=](long r) { return r / times; });
    }
  });
  BOOST_TEST(repeat(zeros({2, 0}), 3, 1).shape() == (Shape{2, 0}));
  BOOST_TEST(repeat_interleave(zeros({0, 2}), 3, 1).shape() == (Shape{0, 6}));
  BOOST_TEST(repeat(zeros({1, 1, 1, 1, 1, 1, 1, 2}), 3, 0).numel() == 6);  // no room for another axis is needed
}

BOOST_AUTO_TEST_CASE(flip_reverses_an_axis) {
  for_layouts([](const Tensor& x, int axis, long n) {
    check_moved(flip(x, axis - 3), x, axis, n, [=](long r) { return n - 1 - r; });
    BOOST_TEST(same_bits(flip(flip(x, axis), axis), contiguous(x)));
  });
  BOOST_TEST(flip(zeros({2, 0}), 1).shape() == (Shape{2, 0}));
}

BOOST_AUTO_TEST_CASE(moving_ops_pass_gradcheck) {
  for (const Tensor& x : {noise({3, 5, 2}), noise({2, 4, 0}), noise({1, 1, 1})})
    for (int axis : {0, 1, -1}) {
      gradcheck([=](auto& v) { return pad(v[0], axis, 2, 1, -1.5); }, {x});
      gradcheck([=](auto& v) { return roll(v[0], 2, axis); }, {x});
      gradcheck([=](auto& v) { return roll(v[0], -7, axis); }, {x});
      for (long times : {0, 1, 3}) {
        gradcheck([=](auto& v) { return repeat(v[0], times, axis); }, {x});
        gradcheck([=](auto& v) { return repeat_interleave(v[0], times, axis); }, {x});
      }
      gradcheck([=](auto& v) { return flip(v[0], axis); }, {x});
    }
}

BOOST_AUTO_TEST_CASE(moving_ops_have_the_same_bits_for_any_thread_count) {
  const Tensor x = noise({211, 503}, 1, f32), dy = noise({211, 1509}, 2, f32);
  std::vector<Tensor> first;
  for (int count : {1, 2, 3})
    on_threads(count, [&] {
      const std::vector<Tensor> now{pad(x, 1, 3, 4),
                                    roll(x, 100, 0),
                                    repeat(x, 3, 0),
                                    repeat_interleave(x, 3, 1),
                                    flip(x, 1),
                                    repeat_backward(dy, 3, 1, x.shape()),
                                    repeat_interleave_backward(dy, 3, 1, x.shape())};
      if (first.empty()) first = now;
      for (size_t i = 0; i < now.size(); i++) BOOST_TEST(same_bits(now[i], first[i]));
    });
}

BOOST_AUTO_TEST_CASE(bad_input_of_moving_ops_is_named) {
  const Tensor x = zeros({2, 3});
  const long huge = std::numeric_limits<long>::max();
  BOOST_TEST(error_of([&] { pad(x, -1, -1, 2); }) ==
             "pad: x is (2, 3) and is to get -1 elements before and 2 after axis 1; both must be 0 or more and the sum "
             "less than 2^63. To cut elements off use slice");
  error_of([&] { pad(x, 0, huge, 1); });
  error_of([&] { pad(x, 2, 1, 1); });
  BOOST_TEST(error_of([&] { repeat(x, -2, 0); }) ==
             "repeat: x is (2, 3) and is to be repeated -2 times along axis 0; the rule is 0 <= times and size * times "
             "< 2^63");
  error_of([&] { repeat_interleave(x, huge, 1); });
  BOOST_TEST(error_of([&] {
               repeat_backward(zeros({4, 4}), 2, 0, {2, 3});
             }) == "repeat: x is (2, 3) and dy is (4, 4); dy must be (4, 3)");
  for (auto f : {+[](const Tensor& t) { pad(t, 0, 1, 1); }, +[](const Tensor& t) { roll(t, 1, 0); },
                 +[](const Tensor& t) { repeat(t, 1, 0); }, +[](const Tensor& t) { repeat_interleave(t, 1, 0); },
                 +[](const Tensor& t) { flip(t, 0); }}) {
    error_of([&] { f(scalar(1)); });  // a scalar has no axis
    BOOST_TEST(error_of([&] { f(Tensor()); }).find("got an undefined tensor") != std::string::npos);
  }
}

BOOST_AUTO_TEST_SUITE_END()
