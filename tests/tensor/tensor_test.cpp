#include "tensor/tensor.h"

#include <limits>

#include "tensor/copy.h"
#include "tensor/create.h"
#include "tensor/views.h"
#include "tests/support/error_of.h"

using namespace heed;

BOOST_AUTO_TEST_SUITE(tensor_test)

BOOST_AUTO_TEST_CASE(a_default_tensor_is_undefined) {
  Tensor x;
  BOOST_TEST(!x.defined());
  BOOST_TEST(x.str() == "Tensor(undefined)");
  BOOST_TEST(error_of([&] { x.item(); }) == "item: got an undefined tensor; create one with zeros, randn, tensor, ...");
  error_of([&] { x.device(); });
  error_of([&] { x.to_vector<float>(); });
  error_of([&] { x.data<float>(); });
}

BOOST_AUTO_TEST_CASE(a_copy_shares_its_elements_and_a_clone_does_not) {
  Tensor x = tensor({1, 2, 3}), same = x, other = clone(x);
  fill(x, 7);
  BOOST_TEST(same.at({1}) == 7);
  BOOST_TEST(other.at({1}) == 2);
  same = tensor({5});  // another tensor: x keeps its own
  BOOST_TEST(x.at({0}) == 7);
}

BOOST_AUTO_TEST_CASE(size_counts_from_both_ends) {
  Tensor x = zeros({2, 3});
  BOOST_TEST(x.size(0) == 2);
  BOOST_TEST(x.size(-1) == 3);
  BOOST_TEST(error_of([&] { x.size(2); }) ==
             "size: axis 2 is outside of x, which is (2, 3); it has 2 dimensions, so axes run from -2 to 1");
}

BOOST_AUTO_TEST_CASE(item_and_at_read_single_elements_of_any_type) {
  for (DType dtype : {f32, f64, i32, i64, u8, bf16, f16}) {
    Tensor x = tensor({1, 2, 3, 4, 5, 6}, {2, 3}, dtype);
    BOOST_TEST(x.at({1, 0}) == 4);
    BOOST_TEST(transpose(x).at({2, 0}) == 3);
    BOOST_TEST(slice(x, 1, 2, 3).at({1, 0}) == 6);
    BOOST_TEST(scalar(3, dtype).item() == 3);
  }
  BOOST_TEST(tensor({0, 2}, boolean).at({1}) == 1);
  BOOST_TEST(ones({1, 1, 1}).item() == 1);
}

BOOST_AUTO_TEST_CASE(item_and_at_say_what_is_wrong) {
  Tensor x = zeros({2, 3});
  BOOST_TEST(error_of([&] { x.item(); }) ==
             "item: x is (2, 3) with 6 elements; item() reads a tensor with one. Use at({...})");
  BOOST_TEST(error_of([&] { x.at({1}); }) == "at: index (1,) has 1 numbers, x is (2, 3) and needs 2");
  BOOST_TEST(error_of([&] { x.at({1, 3}); }) == "at: index (1, 3) is outside of x, which is (2, 3)");
  error_of([&] { x.at({-1, 0}); });
  error_of([] { zeros({0}).item(); });
}

BOOST_AUTO_TEST_CASE(data_wants_the_element_type) {
  Tensor x = zeros({2});
  BOOST_TEST(error_of([&] { x.data<double>(); }) ==
             "data: the elements are f32, not f64; cast first or ask for the right type");
  BOOST_TEST(error_of([&] { x.data<unsigned>(); }) ==
             "data: the elements are f32, not of the asked C++ type; cast first or ask for the right type");
}

BOOST_AUTO_TEST_CASE(contiguous_means_row_major_without_gaps) {
  Tensor x = zeros({4, 6});
  BOOST_TEST(x.is_contiguous());
  BOOST_TEST(!transpose(x).is_contiguous());
  BOOST_TEST(slice(x, 0, 1, 3).is_contiguous());
  BOOST_TEST(!slice(x, 1, 1, 3).is_contiguous());
  BOOST_TEST(!expand(zeros({1}), {3}).is_contiguous());
  BOOST_TEST(transpose(zeros({1, 6})).is_contiguous());
  BOOST_TEST(transpose(zeros({0, 6})).is_contiguous());
}

BOOST_AUTO_TEST_CASE(a_view_must_stay_inside_of_its_storage) {
  Tensor x = arange(10);
  BOOST_TEST(Tensor::view(x, {4}, {-3}, 9).to_vector<int>() == (std::vector<int>{9, 6, 3, 0}));
  BOOST_TEST(error_of([&] {
               Tensor::view(x, {2, 5}, {5, 1}, 1);
             }) ==
             "view: shape (2, 5) with strides (5, 1) from element 1 reaches outside of its storage of 10 elements");
  const long huge = std::numeric_limits<long>::max();
  for (long stride : {-4L, 4L, huge, -huge, huge / 2 + 1}) error_of([&] { Tensor::view(x, {4}, {stride}, 5); });
  error_of([&] { Tensor::view(x, {2, 2}, {1}, 0); });
  error_of([&] { Tensor::view(x, {1}, {1}, -1); });
}

BOOST_AUTO_TEST_CASE(to_vector_converts_and_follows_strides) {
  Tensor x = tensor({1.5, -2.5, 3, 0}, {2, 2});
  BOOST_TEST(transpose(x).to_vector<int64_t>() == (std::vector<int64_t>{1, 3, -2, 0}));
  BOOST_TEST(x.to_vector<bool>() == (std::vector<bool>{true, true, true, false}));
  BOOST_TEST(zeros({0, 3}).to_vector<float>().empty());
}

BOOST_AUTO_TEST_CASE(prints_exactly_this) {
  struct {
    Tensor x;
    const char* text;
  } table[] = {
      {scalar(2.5), "Tensor(2.5, (), f32)"},
      {tensor({1, 2, 3}), "Tensor([1, 2, 3], (3,), f32)"},
      {tensor({1, 0}, boolean), "Tensor([true, false], (2,), boolean)"},
      {tensor({1.0 / 3, -1e-9, 1e20}, f64), "Tensor([0.3333, -1e-09, 1e+20], (3,), f64)"},
      {tensor({1.0 / 0.0, -1.0 / 0.0}), "Tensor([inf, -inf], (2,), f32)"},
      {tensor({1, 2, 3, 4}, {2, 2}, i32), "Tensor([[1, 2],\n        [3, 4]], (2, 2), i32)"},
      {zeros({0}), "Tensor([], (0,), f32)"},
      {zeros({2, 0}), "Tensor([[],\n        []], (2, 0), f32)"},
      {arange(8), "Tensor([0, 1, 2, 3, 4, 5, 6, 7], (8,), i64)"},
      {arange(9), "Tensor([0, 1, 2, ..., 6, 7, 8], (9,), i64)"},
      {zeros({1, 2, 1}, u8), "Tensor([[[0],\n         [0]]], (1, 2, 1), u8)"},
      {reshape(arange(18), {9, 2}),
       "Tensor([[0, 1],\n        [2, 3],\n        [4, 5],\n        ...,\n        [12, 13],\n        [14, 15],\n"
       "        [16, 17]], (9, 2), i64)"},
  };
  for (const auto& [x, text] : table) BOOST_TEST(x.str() == text);
}

BOOST_AUTO_TEST_CASE(prints_all_digits_of_large_integers) {
  const int64_t most = std::numeric_limits<int64_t>::max();
  BOOST_TEST(from_vector<int64_t>({most, most - 1, -most}, {3}).str() ==
             "Tensor([9223372036854775807, 9223372036854775806, -9223372036854775807], (3,), i64)");
}

BOOST_AUTO_TEST_SUITE_END()
