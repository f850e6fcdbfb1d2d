#include "tensor/cpu/products/small_matmul.h"

#include "tensor/views.h"
#include "tests/support/compare.h"

using namespace heed;

namespace {

// Sums of up to a thousand products of normal numbers in another order than the reference.
double rounding(DType dtype) { return dtype == f32 ? 2e-4 : 1e-12; }

void check_product(const Tensor& a, const Tensor& b) {
  BOOST_TEST_INFO_SCOPE("a " << a.shape() << " " << a.strides() << " b " << b.shape() << " " << b.strides());
  check_close(matmul(a, b), matmul_reference(a, b), rounding(a.dtype()));
}

}  // namespace

BOOST_AUTO_TEST_SUITE(small_matmul_test)

BOOST_AUTO_TEST_CASE(few_rows_times_transposed_weights_equal_the_definition) {
  for (DType dtype : {f32, f64})
    for (long m : {1, 2, 3, 4, 5, 8, 11, 16, 17, 24, 31, 32, 33})
      for (const Shape& s : {Shape{1, 1}, {7, 13}, {65, 64}, {300, 513}, {37, 1100}}) {
        const Tensor w = noise({s[0], s[1]}, 2, dtype), wide = noise({s[0], s[1] + 3}, 3, dtype);
        check_product(noise({m, s[1]}, 1, dtype), transpose(w));
        check_product(transpose(noise({s[1], m}, 1, dtype)), transpose(w));
        check_product(slice(noise({m, s[1] + 5}, 1, dtype), 1, 2, s[1] + 2), transpose(slice(wide, 1, 1, s[1] + 1)));
      }
}

BOOST_AUTO_TEST_SUITE_END()
