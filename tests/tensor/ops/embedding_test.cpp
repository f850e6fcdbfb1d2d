#include "autograd/ops/embedding.h"

#include "autograd/gradcheck.h"
#include "tensor/copy.h"
#include "tensor/create.h"
#include "tensor/views.h"
#include "tests/support/compare.h"

using namespace heed;

BOOST_AUTO_TEST_SUITE(embedding_test)

BOOST_AUTO_TEST_CASE(rows_are_looked_up_for_ids_of_any_shape) {
  for (DType dtype : {f32, f64}) {
    const Tensor table = noise({5, 3}, 1, dtype);
    for (const Shape& shape : {Shape{}, {1}, {5}, {2, 2}, {2, 1, 2}}) {
      const Tensor ids = cast(reshape(arange(shape.numel()), shape), i32), y = embedding(table, ids);
      Shape want = shape;
      want.push_back(3);
      BOOST_TEST(y.shape() == want);
      BOOST_TEST(same_bits(flatten(y), flatten(slice(table, 0, 0, shape.numel()))));
    }
  }
}

BOOST_AUTO_TEST_CASE(a_transposed_table_and_repeated_ids_work) {
  const Tensor table = transpose(noise({3, 5})), ids = tensor({4, 0, 4}, u8), y = embedding(table, ids);
  for_each_index(y.shape(), [&](const Shape& i) { BOOST_TEST(y.at(i) == table.at({long(ids.at({i[0]})), i[1]})); });
}

BOOST_AUTO_TEST_CASE(gradients_of_equal_ids_add_up) {
  for (DType dtype : {f32, f64})
    for (long C : {1, 3, 64, 130}) {
      const Tensor ids = tensor({2, 0, 2, 2, 1, 0}, {2, 3}, i64), dy = noise({2, 3, C}, 1, dtype);
      const Tensor dtable = embedding_backward(dy, ids, 4);
      std::vector<double> want(size_t(4 * C));
      for_each_index(dy.shape(), [&](const Shape& i) {
        want[size_t(long(ids.at({i[0], i[1]})) * C + i[2])] += dy.at(i);
      });
      check_close(dtable, from_vector(want, {4, C}), dtype == f32 ? 1e-6 : 1e-15);
    }
}

BOOST_AUTO_TEST_CASE(embedding_passes_gradcheck) {
  const Tensor ids = tensor({2, 0, 2, 1, 2}, i64);
  BOOST_CHECK_NO_THROW(gradcheck([=](auto& x) { return embedding(x[0], ids); }, {noise({3, 4})}));
}

BOOST_AUTO_TEST_CASE(empty_ids_and_empty_rows_are_legal) {
  BOOST_TEST(embedding(zeros({5, 3}), zeros({0, 2}, i64)).shape() == (Shape{0, 2, 3}));
  BOOST_TEST(embedding(zeros({0, 3}), zeros({0}, i64)).shape() == (Shape{0, 3}));
  BOOST_TEST(embedding(zeros({5, 0}), zeros({2}, i64)).shape() == (Shape{2, 0}));
  check_close(embedding_backward(zeros({0, 3}), zeros({0}, i64), 5), zeros({5, 3}), 0);
}

BOOST_AUTO_TEST_SUITE_END()
