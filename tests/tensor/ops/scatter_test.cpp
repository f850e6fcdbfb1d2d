#include "autograd/ops/scatter.h"

#include "autograd/gradcheck.h"
#include "tensor/copy.h"
#include "tensor/create.h"
#include "tensor/ops/gather.h"
#include "tensor/views.h"
#include "tests/support/compare.h"
#include "tests/support/error_of.h"
#include "tests/support/on_threads.h"

using namespace heed;

namespace {

constexpr double kAdded = 1e-6;  // a few additions in f32, against double

// Indices in [0, limit) that repeat and are in no order.
Tensor some_indices(const Shape& shape, long limit, DType dtype = i64) {
  std::vector<int64_t> values(size_t(shape.numel()));
  for (size_t i = 0; i < values.size(); i++) values[i] = long(i * i + 3 * i) % limit;
  return cast(from_vector(values, shape), dtype);
}

// The definition: all places in row-major order, one after the other.
Tensor by_loop(const Tensor& x, int axis, const Tensor& indices, const Tensor& source, bool add) {
  const Tensor y = cast(clone(x), f64);
  for_each_index(indices.shape(), [&](const Shape& i) {
    Shape place = i;
    place[axis] = long(indices.at(i));
    long at = 0;
    for (int d = 0; d < place.dims(); d++) at += place[d] * y.strides()[d];
    double& element = y.mutable_data<double>()[at];
    element = source.at(i) + (add ? element : 0);
  });
  return y;
}

Shape with_size(Shape shape, int axis, long size) {
  shape[axis] = size;
  return shape;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(scatter_test)

BOOST_AUTO_TEST_CASE(scatter_lets_the_last_of_equal_indices_win) {
  const Tensor y = scatter(zeros({4}), 0, tensor({1, 3, 1}, i64), tensor({5, 6, 7}));
  BOOST_TEST(same_bits(y, tensor({0, 7, 0, 6})));
}

BOOST_AUTO_TEST_CASE(scatter_and_scatter_add_equal_the_loop_along_any_axis_of_any_layout) {
  const Tensor base = noise({3, 4, 5});
  for (const Tensor& x : {base, transpose(base), expand(slice(base, 1, 0, 1), {3, 4, 5}), cast(base, f32)})
    for (int axis = 0; axis < 3; axis++)
      for (long picked : {0, 1, 2, 7}) {
        const Shape shape = with_size(x.shape(), axis, picked);
        const Tensor indices = some_indices(shape, x.size(axis)), before = clone(x);
        const Tensor wide = noise(with_size(shape, 0, 2 * shape[0]), 2, x.dtype());
        const Tensor source = slice(wide, 0, 0, 2 * shape[0], 2);
        check_close(scatter(x, axis - 3, indices, source), by_loop(x, axis, indices, source, false), 0);
        check_close(scatter_add(x, axis - 3, indices, source), by_loop(x, axis, indices, source, true), kAdded);
        BOOST_TEST(same_bits(x, before));
      }
}

BOOST_AUTO_TEST_CASE(scatter_moves_every_element_type) {
  for (DType dtype : {f32, f64, i32, i64, u8, boolean, bf16, f16}) {
    const Tensor x = cast(tensor({0, 1, 1, 0}), dtype), source = cast(tensor({1, 0, 1}), dtype);
    BOOST_TEST(same_bits(scatter(x, 0, tensor({0, 2, 3}, u8), source), cast(tensor({1, 1, 0, 1}), dtype)));
  }
}

BOOST_AUTO_TEST_CASE(one_source_may_be_repeated_for_all_places) {
  const Tensor indices = tensor({0, 2}, {1, 2}, i64);
  BOOST_TEST(same_bits(scatter(zeros({1, 3}), 1, indices, expand(scalar(2), {1, 2})), tensor({2, 0, 2}, {1, 3})));
}

BOOST_AUTO_TEST_CASE(one_hot_marks_the_index) {
  BOOST_TEST(same_bits(one_hot(tensor({2, 0}, i64), 3), tensor({0, 0, 1, 1, 0, 0}, {2, 3})));
  BOOST_TEST(same_bits(one_hot(scalar(1, u8), 2, boolean), tensor({0, 1}, boolean)));
  const Tensor ids = some_indices({4, 3}, 5, i32), y = one_hot(transpose(ids), 5, i64);
  BOOST_TEST(y.shape() == (Shape{3, 4, 5}));
  for_each_index(y.shape(), [&](const Shape& i) { BOOST_TEST(y.at(i) == (ids.at({i[1], i[0]}) == double(i[2]))); });
  BOOST_TEST(one_hot(zeros({2, 0}, i64), 3).shape() == (Shape{2, 0, 3}));
  BOOST_TEST(one_hot(zeros({0}, i64), 0).shape() == (Shape{0, 0}));
}

BOOST_AUTO_TEST_CASE(scatter_passes_gradcheck_with_indices_that_repeat) {
  const Tensor rows = some_indices({6, 3}, 4), columns = some_indices({2, 2, 5}, 3), one = zeros({1}, i64);
  auto both = [&](int axis, const Tensor& indices, const Tensor& x) {
    const std::vector<Tensor> inputs{x, noise(indices.shape(), 2)};
    gradcheck([&](auto& v) { return scatter(v[0], axis, indices, v[1]); }, inputs);
    gradcheck([&](auto& v) { return scatter_add(v[0], axis, indices, v[1]); }, inputs);
  };
  both(0, rows, noise({4, 3}));
  both(-1, columns, noise({2, 2, 3}));
  both(0, one, noise({1}));
  both(0, zeros({0, 3}, i64), noise({4, 3}));
}

BOOST_AUTO_TEST_CASE(scatter_gives_a_gradient_to_the_winner_only) {
  const ScatterGrads g = scatter_backward(tensor({1, 2, 3, 4}), 0, tensor({1, 3, 1}, i64));
  BOOST_TEST(same_bits(g.dx, tensor({1, 0, 3, 0})));
  BOOST_TEST(same_bits(g.dsource, tensor({0, 4, 2})));
}

BOOST_AUTO_TEST_CASE(scatter_has_the_same_bits_for_any_thread_count) {
  const Tensor x = noise({5, 13, 1021}, 1, f32), source = noise({5, 97, 1021}, 2, f32);
  const Tensor indices = some_indices({5, 97, 1021}, 13);
  std::vector<Tensor> first;
  for (int count : {1, 2, 3})
    on_threads(count, [&] {
      const ScatterGrads g = scatter_backward(x, 1, indices);
      const std::vector<Tensor> now{scatter(x, 1, indices, source), scatter_add(x, 1, indices, source), g.dx, g.dsource,
                                    one_hot(indices, 13, u8)};
      if (first.empty()) first = now;
      for (size_t i = 0; i < now.size(); i++) BOOST_TEST(same_bits(now[i], first[i]));
    });
}

BOOST_AUTO_TEST_CASE(bad_input_of_scatter_is_named) {
  const Tensor x = zeros({2, 3}), ids = zeros({2, 2}, i64);
  BOOST_TEST(error_of([&] {
               scatter(x, 1, ids, zeros({2, 3}));
             }) ==
             "scatter: the source is (2, 3) and the indices are (2, 2); they must be equal. One value for all places: "
             "expand(source, indices.shape())");
  BOOST_TEST(error_of([&] {
               scatter_add(x, 0, ids, zeros({2, 2}));
             }) == "scatter_add: x is (2, 3) and the indices are (2, 2); all sizes but that of axis 0 must be equal");
  BOOST_TEST(
      error_of([&] {
        scatter(x, 1, tensor({0, 3}, {2, 1}, i64), zeros({2, 1}));
      }) == "scatter: index 3 at (1, 0) of the indices, which are (2, 1), is out of range; the rule is 0 <= index < 3");
  BOOST_TEST(error_of([&] {
               scatter_add(cast(x, i64), 1, ids, zeros({2, 2}, i64));
             }) == "scatter_add: x is i64; maths is done in f32 or f64. Cast first: cast(x, f32)");
  BOOST_TEST(error_of([&] {
               scatter(x, 1, ids, zeros({2, 2}, f64));
             }) == "scatter: a is f32 and b is f64; types are never mixed silently. Cast first: cast(x, f32)");
  BOOST_TEST(error_of([] {
               one_hot(tensor({0, 4, 2}, i64), 4);
             }) ==
             "one_hot: index 4 at (1,) of the indices, which are (3,), is out of range; the rule is 0 <= index < 4");
  BOOST_TEST(error_of([] { one_hot(tensor({0}, i64), -1); }) ==
             "one_hot: the number of classes is -1; it must be 0 or more");
  error_of([] { one_hot(tensor({0}), 2); });
  error_of([&] { scatter(x, 2, ids, zeros({2, 2})); });
  error_of([&] { scatter(Tensor(), 0, ids, x); });
  error_of([&] { scatter(x, 0, Tensor(), x); });
  error_of([&] { scatter_add(x, 0, ids, Tensor()); });
  error_of([&] { scatter_backward(Tensor(), 0, ids); });
  error_of([&] { one_hot(Tensor(), 1); });
}

BOOST_AUTO_TEST_SUITE_END()
