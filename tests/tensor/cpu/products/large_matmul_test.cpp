#include "tensor/cpu/products/large_matmul.h"

#include "tensor/copy.h"
#include "tensor/cpu/products/blas.h"
#include "tensor/create.h"
#include "tensor/ops/elementwise.h"
#include "tensor/views.h"
#include "tests/support/compare.h"
#include "tests/support/on_threads.h"

using namespace heed;

namespace {

MatmulLayout layout_of(long m, long n, long k, bool b_transposed = false) {
  return {.m = m, .n = n, .k = k, .b_transposed = b_transposed, .a_row = k, .b_row = b_transposed ? k : n};
}

// By large_matmul itself, whether or not matmul would call it for this shape on this CPU.
Tensor product(const Tensor& a, const Tensor& b, bool b_transposed, const Tensor& bias = {}) {
  MatmulLayout s = layout_of(a.size(0), b.size(b_transposed ? 0 : 1), a.size(1), b_transposed);
  s.a_row = a.strides()[0], s.b_row = b.strides()[0];
  Tensor c = full({s.m, s.n}, std::nan(""), f32), workspace = full({large_matmul_workspace_bytes(s) / 4}, 1e30, f32);
  large_matmul(c.mutable_data<float>(), a.data<float>(), b.data<float>(), data_or_null<float>(bias), s,
               workspace.mutable_data<float>());
  return c;
}

// Partial sums of k products of normal numbers are about sqrt(k), each rounded to 2^-24, and sqrt(k) such errors add
// up.
double rounding(long k) { return 1e-6 + 2e-7 * double(k); }

// One block, whole blocks, blocks that are cut off on either side, several panels, several pieces of b.
const Shape kSizes[] = {{33, 32, 32},   {48, 64, 40},    {96, 96, 7},      {97, 33, 65},     {193, 50, 129},
                        {200, 31, 500}, {61, 1100, 530}, {50, 40, 1537},   {37, 70, 2050},   {12, 32, 1},
                        {13, 5, 3},     {385, 17, 24},   {100, 700, 1200}, {40, 1100, 2050}, {1, 1, 1}};

}  // namespace

BOOST_AUTO_TEST_SUITE(large_matmul_test)

BOOST_AUTO_TEST_CASE(products_of_all_shapes_equal_the_definition) {
  for (const Shape& s : kSizes) {
    BOOST_TEST_INFO_SCOPE("m, n, k " << s);
    const Tensor a = noise({s[0], s[2]}, 1, f32), b = noise({s[2], s[1]}, 2, f32), bias = noise({s[1]}, 3, f32);
    const Tensor transposed = contiguous(transpose(b));
    const Tensor want = cast(matmul_reference(cast(a, f64), cast(b, f64)), f32);
    check_close(product(a, b, false), want, rounding(s[2]));
    check_close(product(a, transposed, true), want, rounding(s[2]));
    check_close(product(a, b, false, bias), want + bias, rounding(s[2]));
    check_close(product(a, transposed, true, bias), want + bias, rounding(s[2]));
  }
}

BOOST_AUTO_TEST_CASE(rows_may_lie_apart) {
  const Tensor a = slice(noise({70, 60}, 1, f32), 1, 3, 48), b = slice(noise({45, 90}, 2, f32), 1, 5, 71);
  const Tensor transposed = slice(noise({66, 50}, 3, f32), 1, 2, 47);
  check_close(product(a, b, false), product(contiguous(a), contiguous(b), false), 0);
  check_close(product(a, transposed, true), product(contiguous(a), contiguous(transposed), true), 0);
}

BOOST_AUTO_TEST_CASE(bits_do_not_depend_on_threads) {
  for (const Shape& s : kSizes) {
    const Tensor a = noise({s[0], s[2]}, 1, f32), b = noise({s[2], s[1]}, 2, f32);
    Tensor first;
    on_threads(1, [&] { first = product(a, b, false); });
    for (int count : {2, 3, 5}) on_threads(count, [&] { BOOST_TEST(same_bits(product(a, b, false), first)); });
  }
}

BOOST_AUTO_TEST_CASE(nan_and_infinity_stay_in_their_rows_and_columns) {
  const Tensor a = ones({37, 50}, f32), b = ones({50, 41}, f32);
  fill(select(select(a, 0, 36), 0, 49), std::nan(""));
  fill(select(select(b, 0, 49), 0, 40), HUGE_VAL);
  const Tensor want = full({37, 41}, 50, f32);
  fill(select(want, 1, 40), HUGE_VAL);
  fill(select(want, 0, 36), std::nan(""));
  check_close(product(a, b, false), want, 0);
  check_close(product(a, contiguous(transpose(b)), true), want, 0);
}

BOOST_AUTO_TEST_CASE(matmul_calls_it_for_what_it_is_for) {
  const int blas = blas_kernel_rank(blas_kernels());  // unknown: as wide as the CPU
  const bool wide = build_kernel_rank() >= (blas < 0 ? cpu_kernel_rank() : blas);
  const bool here = build_kernel_rank() >= 2 && wide && !user_chose_kernels();
  BOOST_TEST(is_large_matmul(layout_of(4096, 768, 256)) == here);
  BOOST_TEST(is_large_matmul(layout_of(4096, 768, 256, true)) == here);
  BOOST_TEST(!is_large_matmul(layout_of(32, 4096, 4096)));
  BOOST_TEST(!is_large_matmul(layout_of(100, 100, 100)));
  MatmulLayout transposed = layout_of(4096, 768, 256), batched = transposed;
  transposed.a_transposed = true;
  batched.batch = {4}, batched.a_batch = {4096 * 256}, batched.b_batch = {0};
  BOOST_TEST(!is_large_matmul(transposed));
  BOOST_TEST(!is_large_matmul(batched));
  const Tensor a = noise({300, 200}, 1, f32), b = noise({200, 150}, 2, f32);
  if (here) BOOST_TEST(same_bits(matmul(a, b), product(a, b, false)));
}

BOOST_AUTO_TEST_SUITE_END()
