#include "tensor/ops/cross_entropy.h"

#include <cmath>

#include "autograd/gradcheck.h"
#include "autograd/ops/cross_entropy.h"
#include "tensor/copy.h"
#include "tensor/create.h"
#include "tensor/ops/elementwise.h"
#include "tensor/ops/reduce.h"
#include "tensor/ops/softmax.h"
#include "tensor/views.h"
#include "tests/support/compare.h"
#include "tests/support/error_of.h"
#include "tests/support/on_threads.h"

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

BOOST_AUTO_TEST_CASE(every_combination_of_options_equals_the_definition) {
  for (DType dtype : {f32, f64})
    for (std::optional<long> ignore : {std::optional<long>(), std::optional<long>(-1), std::optional<long>(3)})
      for (double smoothing : {0.0, 0.1, 1.0})
        for (LossReduction reduction : {LossReduction::mean, LossReduction::sum, LossReduction::none}) {
          const Tensor logits = noise({3, 4, 7}, 1, dtype), targets = targets_for({3, 4}, 7);
          if (ignore) fill(slice(targets, 1, 0, 4, 3), double(*ignore));
          const CrossEntropyOptions options{ignore, smoothing, reduction};
          const Tensor loss = cross_entropy(logits, targets, options);
          BOOST_TEST(loss.shape() == (reduction == LossReduction::none ? Shape{3, 4} : Shape{}));
          check_close(loss, cross_entropy_reference(logits, targets, options), rounding(dtype));
        }
}

BOOST_AUTO_TEST_CASE(every_combination_of_options_passes_gradcheck) {
  const Tensor targets = tensor({3, -1, 0, 1, -1, 1}, {2, 3}, i64);
  for (double smoothing : {0.0, 0.1})
    for (LossReduction reduction : {LossReduction::mean, LossReduction::sum, LossReduction::none}) {
      const CrossEntropyOptions options{.ignore = -1, .label_smoothing = smoothing, .reduction = reduction};
      gradcheck([&](auto& x) { return cross_entropy(x[0], targets, options); }, {noise({2, 3, 5})});
      gradcheck([&](auto& x) { return cross_entropy(x[0], full({3}, -1, i64), options); }, {noise({3, 5})});
    }
  gradcheck([&](auto& x) { return cross_entropy(x[0], scalar(2, i64)); }, {noise({5})});
  gradcheck([](auto& x) { return cross_entropy(x[0], tensor({3, 0, 1, 1}, {2, 2}, i64)); }, {noise({2, 2, 5})});
}

BOOST_AUTO_TEST_CASE(ignored_rows_are_as_if_they_were_not_there) {
  const Tensor logits = noise({4, 5}), targets = tensor({2, -100, 0, -100}, i64);
  const CrossEntropyOptions options{.ignore = -100};
  fill(slice(logits, 0, 1, 4, 2), NAN);
  const Tensor kept = slice(logits, 0, 0, 4, 2), dy = scalar(1, f64);
  check_close(cross_entropy(logits, targets, options), cross_entropy(kept, tensor({2, 0}, i64)), 1e-15);
  const Tensor dlogits = cross_entropy_backward(dy, logits, targets, options);
  check_close(slice(dlogits, 0, 0, 4, 2), cross_entropy_backward(dy, kept, tensor({2, 0}, i64)), 1e-15);
  check_close(slice(dlogits, 0, 1, 4, 2), zeros({2, 5}), 0);
}

BOOST_AUTO_TEST_CASE(if_all_rows_are_ignored_loss_and_gradient_are_zero) {
  const CrossEntropyOptions options{.ignore = -1};
  for (long V : {0L, 3L}) {
    const Tensor logits = full({2, V}, NAN), targets = full({2}, -1, i32);
    BOOST_TEST(cross_entropy(logits, targets, options).item() == 0);
    check_close(cross_entropy_backward(scalar(1), logits, targets, options), zeros({2, V}), 0);
  }
}

BOOST_AUTO_TEST_CASE(a_class_that_cannot_happen_costs_nothing_without_smoothing) {
  const Tensor logits = tensor({0, -INFINITY, 0}, {1, 3}), target = tensor({0}, i64);
  check_close(cross_entropy(logits, target), scalar(std::log(2.0)), 1e-6);
  check_close(cross_entropy_backward(scalar(1), logits, target), tensor({-0.5, 0, 0.5}, {1, 3}), 1e-6);
}

BOOST_AUTO_TEST_CASE(errors_of_options_say_what_is_wrong) {
  const Tensor x = zeros({3, 4});
  BOOST_TEST(
      error_of([&] {
        cross_entropy(x, tensor({-1, 4, -1}, i64), {.ignore = -1});
      }) ==
      "cross_entropy: target 4 at (1,) of the targets, which are (3,), is out of range; the rule is 0 <= target < 4");
  BOOST_TEST(
      error_of([&] {
        cross_entropy(x, tensor({0, 1, -2}, i64), {.ignore = -1});
      }) ==
      "cross_entropy: target -2 at (2,) of the targets, which are (3,), is out of range; the rule is 0 <= target < 4");
  BOOST_TEST(error_of([&] { cross_entropy(x, zeros({3}), {.ignore = -1}); }) ==
             "cross_entropy: the targets are f32; they must be integers (i64, i32 or u8). Cast first: cast(x, i64)");
  BOOST_TEST(error_of([&] { cross_entropy(x, zeros({3}, i64), {.label_smoothing = 1.5}); }) ==
             "cross_entropy: label_smoothing is 1.5; the rule is 0 <= label_smoothing <= 1");
  BOOST_TEST(error_of([&] {
               cross_entropy_backward(zeros({2}), x, zeros({3}, i64), {.reduction = LossReduction::none});
             }) == "cross_entropy: dy is (2,) and the targets are (3,); with reduction none they must be equal");
}

BOOST_AUTO_TEST_CASE(bits_of_options_do_not_depend_on_threads) {
  const Tensor logits = noise({701, 65}, 1, f32), targets = targets_for({701}, 65), dy = noise({701}, 2, f32);
  const CrossEntropyOptions options{.ignore = 2, .label_smoothing = 0.1, .reduction = LossReduction::none};
  std::vector<Tensor> first;
  for (int count : {1, 2, 3})
    on_threads(count, [&] {
      const std::vector<Tensor> all = {cross_entropy(logits, targets, {.ignore = 2}),
                                       cross_entropy(logits, targets, options),
                                       cross_entropy_backward(dy, logits, targets, options)};
      if (first.empty()) first = all;
      for (size_t i = 0; i < all.size(); i++) BOOST_TEST(same_bits(all[i], first[i]));
    });
}

BOOST_AUTO_TEST_SUITE_END()
