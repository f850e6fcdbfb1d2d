#include "tensor/ops/norm.h"

#include <cmath>

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

constexpr double kRounding = 1e-14;  // additions in double, in another order

}  // namespace

BOOST_AUTO_TEST_SUITE(norm_test)

BOOST_AUTO_TEST_CASE(it_is_the_root_of_the_sum_of_squares) {
  BOOST_TEST(norm(tensor({3, -4})) == 5);
  for (DType dtype : {f32, f64})
    for (long n : {1L, 7L, 16L, 17L, kSquaresBlock - 1, kSquaresBlock, kSquaresBlock + 1, 5 * kSquaresBlock + 13}) {
      const Tensor x = noise({n}, 1, dtype);
      BOOST_TEST(norm(x) == norm_reference(x), boost::test_tools::tolerance(kRounding));
    }
}

BOOST_AUTO_TEST_CASE(every_element_counts_once) {
  for (long n : {33L, 2 * kSquaresBlock + 5}) {
    const Tensor x = zeros({n});
    for (long i : {0L, n / 2, n - 2, n - 1}) {
      fill(slice(x, 0, i, i + 1), 3);
      BOOST_TEST(norm(x) == 3);
      fill(x, 0);
    }
    BOOST_TEST(norm(ones({n})) == std::sqrt(double(n)));
  }
}

BOOST_AUTO_TEST_CASE(squares_that_f32_cannot_hold_are_no_matter) {
  BOOST_TEST(norm(full({4}, 1e30)) == double(1e30f) * 2);
  BOOST_TEST(norm(full({4}, 1e-30)) == double(1e-30f) * 2);
}

BOOST_AUTO_TEST_CASE(nan_and_infinity_are_seen) {
  for (long at : {0, 40000}) {
    Tensor x = zeros({40001});
    fill(slice(x, 0, at, at + 1), -INFINITY);
    BOOST_TEST(norm(x) == INFINITY);
    fill(slice(x, 0, at, at + 1), NAN);
    BOOST_TEST(std::isnan(norm(x)));
  }
}

BOOST_AUTO_TEST_CASE(strided_and_empty_tensors_work) {
  const Tensor x = noise({30, 41});
  BOOST_TEST(norm(transpose(x)) == norm(x), boost::test_tools::tolerance(kRounding));
  BOOST_TEST(norm(expand(ones({1}), {9})) == 3);
  BOOST_TEST(norm(zeros({0, 3})) == 0);
}

BOOST_AUTO_TEST_CASE(bits_do_not_depend_on_threads) {
  const Tensor x = noise({300007}, 1, f32);
  double one = 0;
  on_threads(1, [&] { one = norm(x); });
  for (int count : {2, 3}) on_threads(count, [&] { BOOST_TEST(norm(x) == one); });
}

BOOST_AUTO_TEST_CASE(other_types_are_refused) {
  BOOST_TEST(error_of([] { norm(zeros({2}, i64)); }) ==
             "norm: x is i64; maths is done in f32 or f64. Cast first: cast(x, f32)");
  error_of([] { norm_reference(zeros({2}, bf16)); });
  error_of([] { norm(Tensor()); });
}

BOOST_AUTO_TEST_SUITE_END()
