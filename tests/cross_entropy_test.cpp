#include "tensor/cross_entropy.h"

#include <cmath>

#include "tensor/copy.h"
#include "tensor/create.h"
#include "tensor/elementwise.h"
#include "tensor/reduce.h"
#include "tensor/softmax.h"
#include "tensor/views.h"
#include "tests/close.h"

using namespace heed;

namespace {

double rounding(DType dtype) { return dtype == f32 ? 1e-5 : 1e-13; }  // up to 40,000 additions in another order
constexpr double kStep = 1e-5, kDifference = 1e-9;                    // central differences in double

Tensor targets_for(const Shape& shape, long V) {
  std::vector<int64_t> values(size_t(shape.numel()));
  for (size_t i = 0; i < values.size(); i++) values[i] = long(7 * i + 2) % V;
  return from_vector(values, shape);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(cross_entropy_test)

BOOST_AUTO_TEST_CASE(equals_the_definition) {
  for (DType dtype : {f32, f64})
    for (const Shape& shape : {Shape{7}, {1, 1}, {5, 3}, {2, 3, 257}, {300, 65}, {2, 40000}}) {
      const Tensor logits = noise(shape, 1, dtype) * 3.0;
      Shape rows = shape;
      rows.erase(rows.dims() - 1);
      const Tensor targets = targets_for(rows, shape.back()), loss = cross_entropy(logits, targets);
      BOOST_TEST(loss.shape() == Shape{});
      check_close(loss, cross_entropy_reference(logits, targets), rounding(dtype));
      check_close(cross_entropy(logits, cast(targets, i32)), loss, 0);
    }
}

BOOST_AUTO_TEST_CASE(equal_logits_cost_the_logarithm_of_their_number) {
  check_close(cross_entropy(zeros({4, 256}), zeros({4}, i64)), scalar(std::log(256.0)), 1e-6);
}

BOOST_AUTO_TEST_CASE(strided_logits_and_targets_work) {
  const Tensor logits = transpose(noise({6, 4})), targets = slice(targets_for({8}, 6), 0, 0, 8, 2);
  check_close(cross_entropy(logits, targets), cross_entropy(contiguous(logits), contiguous(targets)), 0);
}

BOOST_AUTO_TEST_CASE(large_logits_neither_overflow_nor_lose_digits) {
  // Whole numbers: moving them by 2^20 is exact, so the loss must not change either.
  const Tensor logits = cast(cast(noise({5, 9}) * 4.0, i32), f32), targets = targets_for({5}, 9);
  check_close(cross_entropy(logits + 1048576.0, targets), cross_entropy(logits, targets), 1e-6);
  check_close(cross_entropy(tensor({1e30, 0}, {1, 2}), tensor({0}, i64)), scalar(0), 0);
}

BOOST_AUTO_TEST_CASE(gradient_is_softmax_minus_one_hot) {
  for (DType dtype : {f32, f64}) {
    const Tensor logits = noise({2, 3, 5}, 1, dtype), targets = targets_for({2, 3}, 5), dy = scalar(2.5, dtype);
    Tensor want = contiguous(softmax(logits));
    for_each_index({2, 3}, [&](const Shape& i) {
      const Tensor hit = slice(select(select(want, 0, i[0]), 0, i[1]), 0, long(targets.at(i)), long(targets.at(i)) + 1);
      copy_into(hit, hit - 1.0);
    });
    check_close(cross_entropy_backward(dy, logits, targets), want * (2.5 / 6), rounding(dtype));
  }
}

BOOST_AUTO_TEST_CASE(gradient_equals_central_differences) {
  const Tensor x = noise({4, 7}), targets = targets_for({4}, 7), u = noise({4, 7}, 2), one = scalar(1, f64);
  const Tensor slope = (cross_entropy(x + u * kStep, targets) - cross_entropy(x - u * kStep, targets)) / (2 * kStep);
  check_close(sum(cross_entropy_backward(one, x, targets) * u), slope, kDifference);
}

BOOST_AUTO_TEST_CASE(no_rows_cost_nothing) {
  BOOST_TEST(cross_entropy(zeros({0, 5}), zeros({0}, i64)).item() == 0);
  BOOST_TEST(cross_entropy(zeros({0, 0}), zeros({0}, i64)).item() == 0);
  BOOST_TEST(cross_entropy_backward(scalar(1), zeros({0, 5}), zeros({0}, i64)).shape() == (Shape{0, 5}));
}

BOOST_AUTO_TEST_SUITE_END()
