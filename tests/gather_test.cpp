#include "tensor/gather.h"

#include "tensor/copy.h"
#include "tensor/create.h"
#include "tensor/elementwise.h"
#include "tensor/reduce.h"
#include "tensor/views.h"
#include "tests/close.h"

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

BOOST_AUTO_TEST_SUITE_END()
