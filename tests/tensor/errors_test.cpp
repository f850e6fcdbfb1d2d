// Bad input at the doors of tensor/: what is thrown, and the whole text where a user is likely to meet it. Texts that
// belong to one header only are tested beside it (shape, tensor, copy, allocator, device, ...).
#include "system/error.h"

#include <functional>

#include "tensor/copy.h"
#include "tensor/create.h"
#include "tensor/ops/adamw.h"
#include "tensor/ops/concatenate.h"
#include "tensor/ops/cross_entropy.h"
#include "tensor/ops/elementwise.h"
#include "tensor/ops/embedding.h"
#include "tensor/ops/gather.h"
#include "tensor/ops/matmul.h"
#include "tensor/ops/reduce.h"
#include "tensor/ops/softmax.h"
#include "tensor/views.h"
#include "tests/support/error_of.h"

using namespace heed;

namespace {

struct Bad {
  std::function<void()> call;
  const char* text;
};

void check_texts(const std::vector<Bad>& table) {
  for (const auto& [call, text] : table) BOOST_TEST(error_of([&] { call(); }) == text);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(errors_test)

BOOST_AUTO_TEST_CASE(errors_are_standard_exceptions_with_kinds) {
  BOOST_CHECK_THROW(fail("op", "text"), std::runtime_error);
  BOOST_CHECK_THROW(fail<OutOfMemory>("op", "text"), OutOfMemory);
  BOOST_CHECK_THROW(fail<GraphError>("op", "text"), Error);
  BOOST_TEST(error_of([] { fail("matmul", "a is ", Shape{2, 3}, " of ", f32); }) == "matmul: a is (2, 3) of f32");
  HEED_CHECK(true, "op", "not built");
}

BOOST_AUTO_TEST_CASE(shapes_that_do_not_fit_are_named_with_the_rule) {
  // clang-format off
  check_texts({
      {[] { matmul(zeros({32, 64}), zeros({128, 10})); },
       "matmul: a is (32, 64) and b is (128, 10); a's last size must equal b's second last (64 != 128)."},
      {[] { matmul(zeros({32, 64}), zeros({10, 64})); },
       "matmul: a is (32, 64) and b is (10, 64); a's last size must equal b's second last (64 != 10). Did you mean "
       "matmul(a, transpose(b))?"},
      {[] { matmul(zeros({3}), zeros({3, 4})); },
       "matmul: a is (3,) and b is (3, 4); both need at least 2 dimensions. Did you mean unsqueeze(x, 0)?"},
      {[] { matmul(zeros({2, 3, 4}), zeros({5, 4, 6})); },
       "matmul: a is (2, 3, 4) and b is (5, 4, 6); the axes before the last two do not broadcast: sizes aligned at the "
       "right must be equal or 1 (2 != 5)"},
      {[] { matmul_reference(zeros({2, 3, 4}), zeros({4, 6})); },
       "matmul_reference: a is (2, 3, 4) and b is (4, 6); both must have 2 dimensions"},
      {[] { zeros({2, 3}) + zeros({3, 2}); },
       "add: a is (2, 3) and b is (3, 2); they do not broadcast: sizes aligned at the right must be equal or 1 "
       "(3 != 2). Use unsqueeze or reshape to line them up"},
      {[] { add_into(zeros({3}), zeros({2, 3})); },
       "add_into: y is (3,) and x is (2, 3); x must broadcast to y"},
      {[] { add_into(expand(zeros({1}), {3}), zeros({3})); },
       "add_into: the target (3,) is expanded along axis 0, so several of its places are one element. Write into "
       "clone(x)"},
      {[] { reshape(zeros({2, 3}), {4, 2}); },
       "reshape: x is (2, 3) with 6 elements and cannot become (4, 2); the number of elements must stay the same"},
      {[] { reshape(zeros({2, 3}), {4, -1}); },
       "reshape: x is (2, 3) with 6 elements and cannot become (4, -1); the sizes other than -1 must divide the number "
       "of elements"},
      {[] { reshape(zeros({2, 3}), {-1, -1}); },
       "reshape: x is (2, 3) and the wanted shape (-1, -1) has more than one -1; only one size can be worked out"},
      {[] { expand(zeros({2, 3}), {2, 4}); },
       "expand: x is (2, 3) and cannot become (2, 4); only sizes of 1 can be repeated, and new axes stand in front"},
      {[] { squeeze(zeros({2, 3}), 0); },
       "squeeze: axis 0 of x, which is (2, 3), has the size 2; only an axis of size 1 can be removed"},
      {[] { permute(zeros({2, 3}), {0, 0}); },
       "permute: x is (2, 3) and the order is (0, 0); it must name each of the 2 axes once"},
      {[] { gather(zeros({2, 3}), 1, zeros({3, 3}, i64)); },
       "gather: x is (2, 3) and the indices are (3, 3); all sizes but that of axis 1 must be equal"},
      {[] { embedding(zeros({3}), zeros({2}, i64)); }, "embedding: the table is (3,); it must be (V, C)"},
      {[] { cross_entropy(zeros({2, 3}), zeros({3}, i64)); },
       "cross_entropy: the logits are (2, 3) and the targets (3,); with logits (..., V) the targets must be (...)"},
      {[] { sum(zeros({2, 3}), {0, -2}); },
       "sum: x is (2, 3) and the axes (0, -2) name one axis twice"},
  });
  // clang-format on
}

BOOST_AUTO_TEST_CASE(gradients_of_the_wrong_shape_are_refused) {
  // clang-format off
  check_texts({
      {[] { softmax_backward(zeros({2, 3}), zeros({3, 3})); },
       "softmax: dy is (2, 3) and y is (3, 3); they must be equal"},
      {[] { exp_backward(zeros({2}), {}, zeros({3, 2})); },
       "exp: dy is (2,) and a tensor of the forward pass is (3, 2); it must broadcast to dy"},
      {[] { exp_backward(zeros({2}), zeros({2}), {}); },
       "exp: got an undefined tensor; create one with zeros, randn, tensor, ..."},
      {[] { sum_backward(zeros({3}), {2, 3}, {1}); },
       "sum: x is (2, 3) and dy is (3,); with the axes (1,) dy must be (2,)"},
      {[] { max_backward(zeros({3}), zeros({3}, i64), {2, 3}, {1}); },
       "max: x is (2, 3) and dy is (3,); with the axes (1,) dy must be (2,)"},
      {[] { max_backward(zeros({2}), tensor({0, 3}, i64), {2, 3}, {1}); },
       "max: index 3 at (1,) of the indices, which are (2,), is out of range; the rule is 0 <= index < 3"},
      {[] { gather_backward(zeros({2, 4}), 1, zeros({2, 5}, i64), {2, 3}); },
       "gather: dy is (2, 4) and the indices are (2, 5); they must be equal"},
      {[] { embedding_backward(zeros({2, 4}), zeros({3}, i64), 5); },
       "embedding: dy is (2, 4) and the ids are (3,); with ids (...) dy must be (..., C)"},
      {[] { cross_entropy_backward(zeros({2}), zeros({2, 3}), zeros({2}, i64)); },
       "cross_entropy: dy is (2,); the loss is a scalar and so is its gradient"},
      {[] { cross_entropy_backward(scalar(1), zeros({2, 3}), zeros({5}, i64)); },
       "cross_entropy: the logits are (2, 3) and the targets (5,); with logits (..., V) the targets must be (...)"},
  });
  // clang-format on
  error_of([] { mul_backward_a(zeros({2}), zeros({2}), zeros({2}, f64), {}); });
  error_of([] { div_backward_b(zeros({2}), {}, zeros({3}), zeros({2})); });
  error_of([] { matmul_backward_b(zeros({2, 3, 4}), zeros({2, 5, 6}), {6, 4}); });
}

BOOST_AUTO_TEST_CASE(types_that_do_not_fit_are_refused) {
  // clang-format off
  check_texts({
      {[] { zeros({2}) + zeros({2}, f64); },
       "add: a is f32 and b is f64; types are never mixed silently. Cast first: cast(x, f32)"},
      {[] { exp(zeros({2}, i64)); }, "exp: x is i64; maths is done in f32 or f64. Cast first: cast(x, f32)"},
      {[] { zeros({2}, bf16) * 2.0; }, "mul: x is bf16; maths is done in f32 or f64. Cast first: cast(x, f32)"},
      {[] { matmul(zeros({2, 2}, i32), zeros({2, 2}, i32)); },
       "matmul: x is i32; maths is done in f32 or f64. Cast first: cast(x, f32)"},
      {[] { sum(zeros({2}, boolean)); }, "sum: x is boolean; maths is done in f32 or f64. Cast first: cast(x, f32)"},
      {[] { embedding(zeros({2, 2}), zeros({2})); },
       "embedding: the ids are f32; they must be integers (i64, i32 or u8). Cast first: cast(x, i64)"},
  });
  // clang-format on
  for (DType dtype : {i32, i64, u8, boolean, bf16, f16}) {
    const Tensor x = zeros({2, 2}, dtype), ids = zeros({2, 2}, i64);
    error_of([&] { softmax(x); });
    error_of([&] { mean(x); });
    error_of([&] { max(x); });
    error_of([&] { gather_backward(x, 0, ids, {2, 2}); });
    error_of([&] { embedding(x, ids); });
    error_of([&] { cross_entropy(x, zeros({2}, i64)); });
    error_of([&] { add_into(x, x); });
    error_of([&] { adamw_into(x, x, x, x, {}); });
  }
}

BOOST_AUTO_TEST_CASE(axes_and_indices_out_of_range_are_named) {
  // clang-format off
  check_texts({
      {[] { sum(zeros({2, 3}), {2}); },
       "sum: axis 2 is outside of x, which is (2, 3); it has 2 dimensions, so axes run from -2 to 1"},
      {[] { softmax(zeros({2, 3}), -3); },
       "softmax: axis -3 is outside of x, which is (2, 3); it has 2 dimensions, so axes run from -2 to 1"},
      {[] { softmax(scalar(1)); }, "softmax: axis -1 is outside of x, which is (); it has 0 dimensions"},
      {[] { unsqueeze(zeros({2}), 3); }, "unsqueeze: axis 3 is outside of x, which is (2,); the rule is -2 to 1"},
      {[] { select(zeros({2, 3}), 1, 3); },
       "select: index 3 along axis 1 is outside of x, which is (2, 3)"},
      {[] { slice(zeros({2, 3}), 1, 1, 5); },
       "slice: x is (2, 3); [1, 5) with step 1 along axis 1 is outside of its size 3. The rule is 0 <= begin <= end <= "
       "size and step >= 1"},
      {[] { embedding(zeros({5, 2}), tensor({0, 4, 5, 1}, {2, 2}, i64)); },
       "embedding: id 5 at (1, 0) of the ids, which are (2, 2), is out of range; the rule is 0 <= id < 5"},
      {[] { gather(zeros({2, 3}), 1, tensor({0, -1}, {2, 1}, i64)); },
       "gather: index -1 at (1, 0) of the indices, which are (2, 1), is out of range; the rule is 0 <= index < 3"},
      {[] { cross_entropy(zeros({3, 4}), tensor({0, 1, 4}, i32)); },
       "cross_entropy: target 4 at (2,) of the targets, which are (3,), is out of range; the rule is 0 <= target < 4"},
      {[] { embedding(zeros({0, 2}), tensor({0}, i64)); },
       "embedding: id 0 at (0,) of the ids, which are (1,), is out of range; the rule is 0 <= id < 0"},
  });
  // clang-format on
  error_of([] { slice(zeros({4}), 0, 3, 2); });
  error_of([] { slice(zeros({4}), 0, 0, 4, 0); });
  error_of([] { slice(zeros({4}), 0, -5, 4); });
  error_of([] { sum(zeros({4}), {1L << 32}); });
}

BOOST_AUTO_TEST_CASE(sizes_that_overflow_are_refused) {
  error_of([] { zeros({1L << 40, 1L << 40}); });
  error_of([] { zeros({0, 1L << 40, 1L << 40}); });
  error_of([] { zeros({-1}); });
  error_of([] { reshape(zeros({4}), {1L << 40, 1L << 40, -1}); });
  error_of([] { reshape(zeros({4}), {1L << 62, 4, -1}); });
  error_of([] { reshape(zeros({4}), {-2, -2}); });
  const Tensor wide = expand(zeros({1}), {1L << 40});
  error_of([&] { expand(wide, {1L << 40, 1L << 40}); });
  error_of([&] { expand(zeros({1}), {-1}); });
  error_of([&] { unsqueeze(wide, 1) + wide; });
  BOOST_CHECK_THROW(clone(wide), OutOfMemory);
  BOOST_CHECK_THROW(exp(wide), OutOfMemory);
  error_of([] { clone(expand(zeros({1}), {1L << 62})); });
  BOOST_TEST(error_of([] {
               matmul(expand(zeros({1, 1}), {1L << 31, 1}), zeros({1, 1}));
             }) ==
             "matmul: a is (2147483648, 1) and b is (1, 1); a matrix has at most 2147483647 rows and columns. Cut it "
             "with slice");
}

BOOST_AUTO_TEST_CASE(undefined_tensors_are_refused_by_every_door) {
  const Tensor none, x = zeros({2, 2}), ids = zeros({2}, i64);
  BOOST_TEST(error_of([&] { none * 2.0; }) ==
             "mul: got an undefined tensor; create one with zeros, randn, tensor, ...");
  // clang-format off
  const std::function<void()> calls[] = {
      [&] { exp(none); }, [&] { x + none; }, [&] { none + x; }, [&] { add_into(none, x); }, [&] { add_into(x, none); },
      [&] { exp_backward(none, x, x); }, [&] { sum(none); }, [&] { mean(none); }, [&] { max(none); },
      [&] { argmax(none); },
      [&] { sum_backward(none, {2}, {}); }, [&] { mean_backward(none, {2}, {}); }, [&] { sum_to(none, {}); },
      [&] { max_backward(none, ids, {2}, {}); }, [&] { max_backward(scalar(1), none, {2}, {}); },
      [&] { matmul(none, x); }, [&] { matmul(x, none); }, [&] { matmul_backward_a(none, x, {2, 2}); },
      [&] { matmul_backward_b(x, none, {2, 2}); }, [&] { softmax(none); }, [&] { softmax_backward(none, x); },
      [&] { softmax_backward(x, none); }, [&] { gather(none, 0, ids); }, [&] { gather(x, 0, none); },
      [&] { gather_backward(none, 0, ids, {2}); }, [&] { gather_backward(x, 0, none, {2, 2}); },
      [&] { embedding(none, ids); }, [&] { embedding(x, none); }, [&] { embedding_backward(none, ids, 2); },
      [&] { embedding_backward(x, none, 2); }, [&] { cross_entropy(none, ids); }, [&] { cross_entropy(x, none); },
      [&] { cross_entropy_backward(none, x, ids); }, [&] { concatenate({none}, 0); }, [&] { contiguous(none); },
      [&] { clone(none); }, [&] { cast(none, f64); }, [&] { to(none, cpu); }, [&] { fill(none, 1); },
      [&] { zeros_like(none); }, [&] { reshape(none, {1}); }, [&] { transpose(none); }, [&] { permute(none, {}); },
      [&] { slice(none, 0, 0, 0); }, [&] { select(none, 0, 0); }, [&] { expand(none, {2}); }, [&] { squeeze(none, 0); },
      [&] { unsqueeze(none, 0); }, [&] { Tensor::view(none, {}, {}, 0); }};
  // clang-format on
  for (const auto& call : calls) {
    const std::string text = error_of([&] { call(); });
    BOOST_TEST(text.find("got an undefined tensor") != std::string::npos, text);
  }
}

BOOST_AUTO_TEST_SUITE_END()
