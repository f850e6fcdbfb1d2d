#include "autograd/ops/hadamard.h"

#include <cmath>

#include "autograd/gradcheck.h"
#include "tensor/create.h"
#include "tensor/ops/elementwise.h"
#include "tensor/ops/reduce.h"
#include "tensor/views.h"
#include "tests/support/compare.h"
#include "tests/support/error_of.h"
#include "tests/support/on_threads.h"

using namespace heed;

namespace {

double rounding(DType dtype) { return dtype == f32 ? 1e-5 : 1e-13; }  // another order of additions

}  // namespace

BOOST_AUTO_TEST_SUITE(hadamard_test)

BOOST_AUTO_TEST_CASE(equals_the_product_with_the_matrix) {
  for (DType dtype : {f32, f64})
    for (const Shape& shape : {Shape{1}, {2}, {64}, {3, 4}, {5, 1}, {2, 3, 8}, {7, 512}}) {
      const Tensor x = noise(shape, 1, dtype);
      check_close(walsh_hadamard(x), walsh_hadamard_reference(x), rounding(dtype));
    }
}

BOOST_AUTO_TEST_CASE(the_first_matrices_are_known) {
  check_close(walsh_hadamard(tensor({1, 2}, f64)), tensor({3, -1}, f64) * std::sqrt(0.5), 1e-15);
  check_close(walsh_hadamard(tensor({1, 2, 3, 5}, f64)), tensor({5.5, -1.5, -2.5, 0.5}, f64), 1e-15);
}

BOOST_AUTO_TEST_CASE(it_is_its_own_inverse_and_keeps_lengths) {
  for (DType dtype : {f32, f64}) {
    const Tensor x = noise({3, 1024}, 1, dtype), y = walsh_hadamard(x);
    check_close(walsh_hadamard(y), x, rounding(dtype));
    check_close(sum(y * y, {-1}), sum(x * x, {-1}), rounding(dtype));
  }
}

BOOST_AUTO_TEST_CASE(strided_and_broadcast_inputs_work) {
  const Tensor x = noise({8, 6});
  for (const Tensor& view :
       {transpose(x), slice(transpose(x), 1, 0, 8, 2), expand(slice(transpose(x), 0, 0, 1), {5, 8})})
    check_close(walsh_hadamard(view), walsh_hadamard_reference(view), rounding(f64));
}

BOOST_AUTO_TEST_CASE(gradients_pass_the_check) {
  for (const Shape& shape : {Shape{3, 4}, {1}, {0, 8}, {2, 1, 2}})
    BOOST_CHECK_NO_THROW(gradcheck([](auto& x) { return walsh_hadamard(x[0]); }, {noise(shape)}));
}

BOOST_AUTO_TEST_CASE(the_bits_are_the_same_for_any_thread_count) {
  for (DType dtype : {f32, f64}) {
    const Tensor x = noise({257, 1024}, 1, dtype);
    Tensor first;
    on_threads(1, [&] { first = walsh_hadamard(x); });
    for (int count : {2, 3}) on_threads(count, [&] { BOOST_TEST(same_bits(walsh_hadamard(x), first)); });
  }
}

BOOST_AUTO_TEST_CASE(empty_tensors_stay_empty) {
  for (const Shape& shape : {Shape{0}, {3, 0}, {0, 4}}) {
    BOOST_TEST(walsh_hadamard(zeros(shape)).shape() == shape);
    BOOST_TEST(walsh_hadamard_reference(zeros(shape)).shape() == shape);
  }
}

BOOST_AUTO_TEST_CASE(other_sizes_are_refused_with_the_next_power_of_two) {
  BOOST_TEST(error_of([] {
               walsh_hadamard(zeros({2, 12}));
             }) ==
             "walsh_hadamard: x is (2, 12); its last size 12 must be a power of two. Did you mean to fill it up with "
             "zeros to 16?");
  BOOST_TEST(error_of([] { walsh_hadamard(zeros({})); }).starts_with("walsh_hadamard: "));
  BOOST_TEST(error_of([] { walsh_hadamard(zeros({2}, i32)); }).find("Cast first") != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()
