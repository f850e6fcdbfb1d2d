#include "autograd/ops/gather.h"

#include <limits>
#include <string>

#include "autograd/gradcheck.h"
#include "tensor/copy.h"
#include "tensor/create.h"
#include "tensor/ops/elementwise.h"
#include "tensor/ops/reduce.h"
#include "tensor/views.h"
#include "tests/support/compare.h"
#include "tests/support/error_of.h"
#include "tests/support/on_threads.h"

using namespace heed;

namespace {

// Indices in [0, limit) that repeat and are in no order.
Tensor some_indices(const Shape& shape, long limit, DType dtype = i64) {
  std::vector<int64_t> values(size_t(shape.numel()));
  for (size_t i = 0; i < values.size(); i++) values[i] = long(i * i + 3 * i) % limit;
  return cast(from_vector(values, shape), dtype);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(gather_test)

BOOST_AUTO_TEST_CASE(a_wrong_index_is_found_wherever_it_stands) {
  const Tensor x = noise({7, 1});
  for (long n : {1, 3, 4, 70, 70000})
    for (long at : {0L, n / 2, n - 1})
      for (int64_t wrong :
           {std::numeric_limits<int64_t>::min(), int64_t(-1), int64_t(7), std::numeric_limits<int64_t>::max()}) {
        std::vector<int64_t> indices(size_t(n), 6);
        indices[size_t(at)] = wrong;
        const std::string text = error_of([&] { index_select(x, 0, from_vector(indices, {n})); });
        BOOST_TEST(text.find("index " + std::to_string(wrong) + " at (" + std::to_string(at) + ",)") !=
                   std::string::npos);
      }
}

BOOST_AUTO_TEST_CASE(picks_along_any_axis_of_any_layout) {
  const Tensor base = noise({3, 4, 5});
  for (const Tensor& x : {base, transpose(base), expand(slice(base, 1, 0, 1), {3, 4, 5}), cast(base, f32)})
    for (int axis = 0; axis < 3; axis++)
      for (long picked : {1, 2, 7}) {
        Shape shape = x.shape();
        shape[axis] = picked;
        const Tensor indices = some_indices(shape, x.size(axis)), y = gather(x, axis - 3, indices);
        BOOST_TEST(y.shape() == shape);
        for_each_index(shape, [&](Shape i) {
          const double got = y.at(i);
          i[axis] = long(indices.at(i));
          BOOST_TEST(got == x.at(i));
        });
      }
}

BOOST_AUTO_TEST_CASE(indices_may_have_any_integer_type_and_layout) {
  const Tensor x = noise({4, 6}), indices = some_indices({3, 4}, 6);
  const Tensor want = gather(x, 1, contiguous(transpose(indices)));
  for (DType dtype : {i32, i64, u8}) BOOST_TEST(same_bits(gather(x, 1, transpose(cast(indices, dtype))), want));
}

BOOST_AUTO_TEST_CASE(gradient_adds_up_what_was_picked_several_times) {
  for (DType dtype : {f32, f64})
    for (int axis = 0; axis < 3; axis++) {
      Shape shape{3, 4, 5};
      shape[axis] = 9;
      const Tensor indices = some_indices(shape, Shape{3, 4, 5}[axis]), dy = noise(shape, 2, dtype);
      const Tensor u = noise({3, 4, 5}, 3, dtype), dx = gather_backward(dy, axis, indices, {3, 4, 5});
      BOOST_TEST(dx.shape() == (Shape{3, 4, 5}));
      check_close(sum(dx * u), sum(dy * gather(u, axis, indices)), dtype == f32 ? 1e-5 : 1e-13);  // linear in x
    }
}

BOOST_AUTO_TEST_CASE(nothing_may_be_picked) {
  BOOST_TEST(gather(zeros({3, 4}), 1, zeros({3, 0}, i64)).shape() == (Shape{3, 0}));
  BOOST_TEST(gather(zeros({0, 4}), 1, zeros({0, 2}, i64)).shape() == (Shape{0, 2}));
  BOOST_TEST(gather(zeros({3, 0}), 1, zeros({3, 0}, i64)).shape() == (Shape{3, 0}));
  check_close(gather_backward(zeros({3, 0}), 1, zeros({3, 0}, i64), {3, 4}), zeros({3, 4}), 0);
}

BOOST_AUTO_TEST_CASE(gather_and_index_select_move_every_element_type) {
  for (DType dtype : {f32, f64, i32, i64, u8, boolean, bf16, f16}) {
    const Tensor x = cast(tensor({1, 0, 0, 1, 1, 0}, {2, 3}), dtype);
    const Tensor want = cast(tensor({0, 1, 1, 0, 1, 1}, {2, 3}), dtype);
    BOOST_TEST(same_bits(gather(x, 1, tensor({2, 0, 0, 2, 1, 0}, {2, 3}, i64)), want));
    BOOST_TEST(
        same_bits(index_select(x, 0, tensor({1, 1, 0}, u8)), cast(tensor({1, 1, 0, 1, 1, 0, 1, 0, 0}, {3, 3}), dtype)));
  }
}

BOOST_AUTO_TEST_CASE(index_select_is_gather_with_one_list_of_indices) {
  const Tensor base = noise({3, 4, 5});
  for (const Tensor& x : {base, transpose(base), expand(slice(base, 1, 0, 1), {3, 4, 5}), cast(base, f32)})
    for (int axis = 0; axis < 3; axis++)
      for (long picked : {0, 1, 2, 7}) {
        const Tensor list = slice(some_indices({2 * picked}, x.size(axis), i32), 0, 0, 2 * picked, 2);
        Shape column{1, 1, 1}, shape = x.shape();
        column[axis] = shape[axis] = picked;
        const Tensor indices = expand(reshape(list, column), shape), dy = noise(shape, 2, x.dtype());
        BOOST_TEST(same_bits(index_select(x, axis - 3, list), gather(x, axis, indices)));
        BOOST_TEST(
            same_bits(index_select_backward(dy, axis, list, x.shape()), gather_backward(dy, axis, indices, x.shape())));
      }
  BOOST_TEST(index_select(zeros({0, 4}), 1, zeros({2}, i64)).shape() == (Shape{0, 2}));
  BOOST_TEST(index_select(zeros({0}), 0, zeros({0}, i64)).shape() == (Shape{0}));
}

BOOST_AUTO_TEST_CASE(gather_and_index_select_pass_gradcheck) {
  const Tensor picks = tensor({1, 0, 2, 2, 2, 1}, {2, 3}, i64);
  gradcheck([=](auto& x) { return gather(x[0], 1, picks); }, {noise({2, 3})});
  const Tensor list = tensor({2, 0, 2, 1, 2}, i64);
  for (int axis : {0, 1, -1}) gradcheck([=](auto& x) { return index_select(x[0], axis, list); }, {noise({3, 3, 3})});
  gradcheck([](auto& x) { return index_select(x[0], 0, zeros({1}, i64)); }, {noise({1})});
  gradcheck([](auto& x) { return index_select(x[0], 0, zeros({0}, i64)); }, {noise({3, 2})});
}

BOOST_AUTO_TEST_CASE(index_select_has_the_same_bits_for_any_thread_count) {
  const Tensor x = noise({5, 13, 1021}, 1, f32), list = some_indices({97}, 13), dy = noise({5, 97, 1021}, 2, f32);
  const Tensor y = index_select(x, 1, list), dx = index_select_backward(dy, 1, list, x.shape());
  for (int count : {1, 2, 3})
    on_threads(count, [&] {
      BOOST_TEST(same_bits(index_select(x, 1, list), y));
      BOOST_TEST(same_bits(index_select_backward(dy, 1, list, x.shape()), dx));
    });
}

BOOST_AUTO_TEST_CASE(bad_input_of_index_select_is_named) {
  const Tensor x = zeros({2, 3}), ids = zeros({2}, i64);
  BOOST_TEST(
      error_of([&] {
        index_select(x, 0, zeros({2, 2}, i64));
      }) ==
      "index_select: the indices are (2, 2); they must be one list (n,). Where every place has its own index use "
      "gather");
  BOOST_TEST(
      error_of([&] {
        index_select(x, 1, tensor({0, 2, 3}, i64));
      }) ==
      "index_select: index 3 at (2,) of the indices, which are (3,), is out of range; the rule is 0 <= index < 3");
  BOOST_TEST(error_of([&] {
               index_select_backward(x, 0, zeros({4}, i64), {2, 3});
             }) == "index_select: x is (2, 3), the indices are (4,) and dy is (2, 3); along axis 0 dy must be (4, 3)");
  error_of([&] { index_select(x, 2, ids); });
  error_of([&] { index_select(x, 0, zeros({2})); });
  error_of([&] { index_select(Tensor(), 0, ids); });
  error_of([&] { index_select(x, 0, Tensor()); });
  error_of([&] { index_select_backward(Tensor(), 0, ids, {2, 3}); });
}

BOOST_AUTO_TEST_SUITE_END()
