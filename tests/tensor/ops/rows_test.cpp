#include "autograd/ops/rows.h"

#include "autograd/gradcheck.h"
#include "tensor/copy.h"
#include "tensor/create.h"
#include "tensor/views.h"
#include "tests/support/compare.h"
#include "tests/support/error_of.h"
#include "tests/support/on_threads.h"

using namespace heed;

namespace {

// Indices from -1 to rows - 1 that repeat and are in no order
Tensor some_index(const Shape& shape, long rows) {
  std::vector<int32_t> values(size_t(shape.numel()));
  for (size_t i = 0; i < values.size(); i++) values[i] = int32_t(long(i * i + 3 * i) % (rows + 1)) - 1;
  return from_vector(values, shape);
}

// (B, H, T, D) in memory (B, T, H, D), as attention has its heads
Tensor heads(long B, long H, long T, long D, DType dtype = f64) {
  return transpose(noise({B, T, H, D}, 3, dtype), 1, 2);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(rows_test)

BOOST_AUTO_TEST_CASE(rows_are_picked_and_nobody_is_zeros) {
  const Tensor x = tensor({1, 2, 3, 4, 5, 6}, {3, 2});
  BOOST_TEST(same_bits(rows_at(x, tensor({2, -1, 0, 2}, i32)), tensor({5, 6, 0, 0, 1, 2, 5, 6}, {4, 2})));
}

BOOST_AUTO_TEST_CASE(rows_of_one_place_are_added_up_and_those_of_nobody_left_out) {
  const Tensor y = tensor({1, 2, 10, 20, 100, 200, 7, 7}, {4, 2});
  BOOST_TEST(same_bits(rows_added(y, tensor({1, 1, 0, -1}, i32), 3), tensor({100, 200, 11, 22, 0, 0}, {3, 2})));
}

BOOST_AUTO_TEST_CASE(both_equal_their_references_for_any_layout_and_shared_lists) {
  for (const Tensor& x : {heads(2, 3, 7, 5), contiguous(heads(2, 3, 7, 5)), transpose(noise({2, 3, 5, 7}), 2, 3),
                          slice(noise({2, 3, 14, 5}), 2, 0, 14, 2)})
    for (const Shape& lead : {Shape{2, 3}, Shape{1, 3}, Shape{2, 1}, Shape{1, 1}})
      for (long P : {0, 1, 4, 9}) {
        const Tensor index = some_index({lead[0], lead[1], P}, 7);
        check_close(rows_at(x, index), rows_at_reference(x, index), 0);
        const Tensor back = some_index({lead[0], lead[1], 7}, P);
        check_close(rows_added(x, back, P), rows_added_reference(x, back, P), 1e-12);
      }
}

BOOST_AUTO_TEST_CASE(an_order_and_its_inverse_give_back_the_rows) {
  const Tensor x = noise({2, 5, 3}), order = tensor({3, 1, 4, 0, 2, 0, 4, 2, 1, 3}, {2, 5}, i32);
  BOOST_TEST(same_bits(rows_added(rows_at(x, order), order, 5), x));
}

BOOST_AUTO_TEST_CASE(rows_of_every_element_type_are_moved) {
  for (DType dtype : {f32, f64, i32, i64, u8, boolean, bf16, f16}) {
    const Tensor x = cast(tensor({0, 1, 1, 0}, {2, 2}), dtype);
    BOOST_TEST(same_bits(rows_at(x, tensor({1, -1}, i32)), cast(tensor({1, 0, 0, 0}, {2, 2}), dtype)));
  }
}

BOOST_AUTO_TEST_CASE(empty_inputs_give_empty_rows_or_zeros) {
  BOOST_TEST(rows_at(zeros({0, 4, 3}), zeros({0, 2}, i32)).shape() == (Shape{0, 2, 3}));
  BOOST_TEST(same_bits(rows_at(zeros({0, 3}), tensor({-1}, i32)), zeros({1, 3})));
  BOOST_TEST(same_bits(rows_added(zeros({0, 3}), zeros({0}, i32), 2), zeros({2, 3})));
  BOOST_TEST(rows_added(zeros({2, 0}), tensor({0, 1}, i32), 2).shape() == (Shape{2, 0}));
}

BOOST_AUTO_TEST_CASE(both_pass_gradcheck_with_indices_that_repeat) {
  const Tensor own = some_index({2, 3, 6}, 4), shared = some_index({1, 1, 6}, 4);
  for (const Tensor& index : {own, shared}) {
    gradcheck([&](auto& in) { return rows_at(in[0], index); }, {noise({2, 3, 4, 5})});
    gradcheck([&](auto& in) { return rows_added(in[0], index, 4); }, {noise({2, 3, 6, 5})});
  }
}

BOOST_AUTO_TEST_CASE(both_have_the_same_bits_for_any_thread_count) {
  const Tensor x = heads(3, 4, 501, 67, f32), index = some_index({3, 4, 800}, 501), back = some_index({3, 4, 501}, 40);
  std::vector<Tensor> first;
  for (int count : {1, 2, 3})
    on_threads(count, [&] {
      const std::vector<Tensor> now{rows_at(x, index), rows_added(x, back, 40)};
      if (first.empty()) first = now;
      for (size_t i = 0; i < now.size(); i++) BOOST_TEST(same_bits(now[i], first[i]));
    });
}

BOOST_AUTO_TEST_CASE(what_does_not_fit_is_refused_with_shapes) {
  const Tensor x = zeros({2, 3, 4});
  BOOST_TEST(error_of([&] {
               rows_at(x, zeros({2, 3}, i64));
             }) ==
             "rows_at: x is (2, 3, 4) and the index is i64 (2, 3); they must be (..., rows, C) and i32 (..., P), one "
             "index for every row");
  BOOST_TEST(error_of([&] {
               rows_at(x, zeros({3, 5}, i32));
             }) ==
             "rows_at: x is (2, 3, 4) and the index is (3, 5); the sizes in front must be equal, or 1 where one list "
             "serves all");
  BOOST_TEST(error_of([&] {
               rows_at(x, tensor({0, 3}, {1, 2}, i32));
             }) ==
             "rows_at: index 3 at (0, 1) of the index, which is (1, 2), is out of range; the rule is -1 (nobody) <= "
             "index < 3");
  BOOST_TEST(
      error_of([&] {
        rows_added(x, zeros({2, 4}, i32), 5);
      }) ==
      "rows_added: y is (2, 3, 4), the index is (2, 4) and T is 5; every row of y needs its index, and T must be "
      "0 or more");
}

BOOST_AUTO_TEST_SUITE_END()
