#include "tensor/ops/decompose.h"

#include <cmath>
#include <limits>

#include "tensor/copy.h"
#include "tensor/create.h"
#include "tensor/ops/elementwise.h"
#include "tensor/ops/matmul.h"
#include "tensor/ops/reduce.h"
#include "tensor/views.h"
#include "tests/support/compare.h"
#include "tests/support/error_of.h"
#include "tests/support/on_threads.h"

using namespace heed;

namespace {

// Some hundred additions of numbers of size 1, and the iterations of LAPACK.
double rounding(DType dtype) { return dtype == f32 ? 3e-5 : 1e-12; }
constexpr double kNan = std::numeric_limits<double>::quiet_NaN(), kInf = std::numeric_limits<double>::infinity();

Tensor eye(long n, DType dtype) {
  Tensor x = zeros({n, n}, dtype);
  fill(Tensor::view(x, {n}, {n + 1}, 0), 1);  // the diagonal
  return x;
}

// q^T q = 1 for every matrix of the batch
void check_orthonormal_columns(const Tensor& q) {
  Tensor gram = matmul(transpose(q), q);
  check_close(gram, expand(eye(q.size(-1), q.dtype()), gram.shape()), rounding(q.dtype()));
}

// Another look at a (..., n): its last axis as a column or a row that scales
Tensor scaled_columns(const Tensor& x, const Tensor& by) { return x * unsqueeze(by, -2); }

// Matrices of all proportions, and views that are not row-major.
std::vector<Tensor> matrices(DType dtype) {
  std::vector<Tensor> all;
  for (const Shape& shape :
       {Shape{1, 1}, {3, 3}, {7, 2}, {2, 7}, {1, 5}, {5, 1}, {65, 33}, {33, 130}, {3, 4, 5}, {2, 3, 6, 4}, {37, 3, 3}})
    all.push_back(noise(shape, 1, dtype));
  all.push_back(transpose(noise({5, 4, 3}, 2, dtype)));
  all.push_back(slice(noise({6, 8}, 3, dtype), 1, 0, 8, 2));
  all.push_back(expand(noise({1, 4, 3}, 4, dtype), {3, 4, 3}));
  return all;
}

Tensor symmetric(const Shape& shape, uint32_t seed, DType dtype) {
  Tensor a = noise(shape, seed, dtype);
  return a + transpose(a);
}

// The sign rule: the first element of each row that is at least 0.9 of the largest is positive.
void check_signs(const Tensor& rows) {
  const Tensor flat = reshape(rows, {-1, rows.size(-1)});
  for (long i = 0; i < flat.size(0); i++) {
    double largest = 0;
    for (long j = 0; j < flat.size(1); j++) largest = std::max(largest, std::abs(flat.at({i, j})));
    long j = 0;
    while (std::abs(flat.at({i, j})) < 0.9 * largest) j++;
    BOOST_TEST(flat.at({i, j}) > 0, "row " << i << " of " << flat.shape());
  }
}

}  // namespace

BOOST_AUTO_TEST_SUITE(decompose_test)

BOOST_AUTO_TEST_CASE(qr_gives_orthonormal_columns_times_an_upper_triangle) {
  for (DType dtype : {f32, f64})
    for (const Tensor& a : matrices(dtype)) BOOST_TEST_CONTEXT(a.shape() << " " << dtype) {
        const QrResult f = qr(a);
        check_close(matmul(f.q, f.r), a, rounding(dtype));
        check_orthonormal_columns(f.q);
        for_each_index(f.r.shape(), [&](const Shape& i) {
          const long row = i[i.dims() - 2], column = i[i.dims() - 1];
          if (row > column) BOOST_TEST(f.r.at(i) == 0);
          if (row == column) BOOST_TEST(f.r.at(i) >= 0);
        });
      }
}

BOOST_AUTO_TEST_CASE(qr_is_unique) {
  const Tensor q = qr(noise({6, 4})).q, r = qr(noise({4, 4}, 2)).r;
  const QrResult again = qr(matmul(q, r));
  check_close(again.q, q, rounding(f64));
  check_close(again.r, r, rounding(f64));
}

BOOST_AUTO_TEST_CASE(svd_gives_orthonormal_factors_and_descending_values) {
  for (DType dtype : {f32, f64})
    for (const Tensor& a : matrices(dtype)) BOOST_TEST_CONTEXT(a.shape() << " " << dtype) {
        const SvdResult f = svd(a);
        check_close(matmul(scaled_columns(f.u, f.s), f.vt), a, rounding(dtype));
        check_orthonormal_columns(f.u);
        check_orthonormal_columns(transpose(f.vt));
        check_signs(f.vt);
        for_each_index(f.s.shape(), [&](const Shape& i) {
          BOOST_TEST(f.s.at(i) >= 0);
          Shape before = i;
          if (before[i.dims() - 1]-- > 0) BOOST_TEST(f.s.at(before) >= f.s.at(i));
        });
      }
}

BOOST_AUTO_TEST_CASE(svd_gives_known_singular_values) {
  const SvdResult f = svd(tensor({0, -2, 3, 0, 0, 0}, {3, 2}, f64));
  check_close(f.s, tensor({3, 2}, f64), 1e-15);
  check_close(f.vt, tensor({1, 0, 0, 1}, {2, 2}, f64), 1e-15);
  check_close(f.u, tensor({0, -1, 1, 0, 0, 0}, {3, 2}, f64), 1e-15);
  check_close(svd(ones({4, 3}, f64)).s, tensor({std::sqrt(12.0), 0, 0}, f64), 1e-14);  // rank 1
  check_close(svd(zeros({3, 3})).s, zeros({3}), 0);
  check_close(svd(noise({3, 3}) * 1e-300).s * 1e300, svd(noise({3, 3})).s, 1e-12);
}

BOOST_AUTO_TEST_CASE(eigh_gives_ascending_values_and_orthonormal_vectors) {
  for (DType dtype : {f32, f64})
    for (const Shape& shape : {Shape{1, 1}, {2, 2}, {7, 7}, {65, 65}, {3, 4, 4}, {2, 3, 5, 5}, {37, 3, 3}})
      BOOST_TEST_CONTEXT(shape << " " << dtype) {
        const Tensor a = symmetric(shape, 1, dtype);
        for (const Tensor& view : {a, transpose(a)}) {
          const EighResult f = eigh(view);
          check_close(matmul(scaled_columns(f.vectors, f.values), transpose(f.vectors)), a, rounding(dtype));
          check_orthonormal_columns(f.vectors);
          check_signs(transpose(f.vectors));
          for_each_index(f.values.shape(), [&](const Shape& i) {
            Shape before = i;
            if (before[i.dims() - 1]-- > 0) BOOST_TEST(f.values.at(before) <= f.values.at(i));
          });
        }
      }
}

BOOST_AUTO_TEST_CASE(eigh_gives_known_eigenvalues) {
  const EighResult f = eigh(tensor({2, 1, 1, 2}, {2, 2}, f64));
  const double h = std::sqrt(0.5);  // both elements are equally large: the first one decides
  check_close(f.values, tensor({1, 3}, f64), 1e-15);
  check_close(f.vectors, tensor({h, h, -h, h}, {2, 2}, f64), 1e-15);
}

BOOST_AUTO_TEST_CASE(svd_and_eigh_agree_to_the_sign) {
  const Tensor a = noise({9, 5});
  const SvdResult f = svd(a);
  const EighResult g = eigh(matmul(transpose(a), a));
  for (long k = 0; k < 5; k++) {
    check_close(select(f.s * f.s, 0, k), select(g.values, 0, 4 - k), rounding(f64));
    check_close(select(f.vt, 0, k), select(g.vectors, 1, 4 - k), rounding(f64));
  }
}

BOOST_AUTO_TEST_CASE(factors_have_the_same_bits_for_any_thread_count) {
  for (DType dtype : {f32, f64})
    for (const Shape& shape : {Shape{41, 33, 17}, {3, 17, 33}, {1, 211, 130}}) {
      const Tensor a = noise(shape, 1, dtype), s = matmul(a, transpose(a));
      auto factors = [&] {
        const QrResult f = qr(a);
        const SvdResult g = svd(a);
        const EighResult h = eigh(s);
        return std::vector{f.q, f.r, g.u, g.s, g.vt, h.values, h.vectors};
      };
      std::vector<Tensor> first;
      on_threads(1, [&] { first = factors(); });
      for (int count : {1, 2, 3})
        on_threads(count, [&] {
          const auto again = factors();
          for (size_t i = 0; i < first.size(); i++)
            BOOST_TEST(same_bits(first[i], again[i]), "result " << i << " with " << count << " threads");
        });
    }
}

BOOST_AUTO_TEST_CASE(a_matrix_gives_the_same_bits_alone_and_in_a_batch) {
  const Tensor a = noise({40, 5, 4});
  BOOST_TEST(same_bits(select(svd(a).u, 0, 23), svd(select(a, 0, 23)).u));
  BOOST_TEST(same_bits(select(qr(a).q, 0, 23), qr(select(a, 0, 23)).q));
}

BOOST_AUTO_TEST_CASE(empty_matrices_and_batches_are_legal) {
  BOOST_TEST(qr(zeros({3, 0})).q.shape() == (Shape{3, 0}));
  BOOST_TEST(qr(zeros({0, 3})).r.shape() == (Shape{0, 3}));
  BOOST_TEST(qr(zeros({0, 3, 2})).r.shape() == (Shape{0, 2, 2}));
  BOOST_TEST(svd(zeros({2, 3, 0})).s.shape() == (Shape{2, 0}));
  BOOST_TEST(svd(zeros({0, 3, 2})).vt.shape() == (Shape{0, 2, 2}));
  BOOST_TEST(eigh(zeros({0, 0})).values.shape() == (Shape{0}));
  BOOST_TEST(eigh(zeros({0, 2, 2})).vectors.shape() == (Shape{0, 2, 2}));
}

BOOST_AUTO_TEST_CASE(a_matrix_without_an_answer_is_named) {
  const Tensor bad = tensor({1, 0, 0, 1, 1, 0, kNan, 1}, {2, 2, 2});
  BOOST_TEST(error_of([&] { qr(bad); }) ==
             "qr: a is (2, 2, 2), and its matrix at (1,) holds NaN or infinity; all elements must be finite");
  BOOST_TEST(error_of([&] {
               svd(reshape(bad, {2, 1, 2, 2}));
             }) ==
             "svd: a is (2, 1, 2, 2), and its matrix at (1, 0) holds NaN or infinity; all elements must be finite");
  BOOST_TEST(error_of([&] {
               eigh(tensor({kInf}, {1, 1}, f64));
             }) == "eigh: a is (1, 1), and it holds NaN or infinity; all elements must be finite");
  BOOST_TEST(error_of([&] {
               eigh(tensor({1, 2, 3, 4}, {2, 2}));
             }) ==
             "eigh: a is (2, 2), and it is not symmetric; a must equal transpose(a). Did you mean svd(a), or "
             "eigh((a + transpose(a)) * 0.5)?");
}

BOOST_AUTO_TEST_CASE(an_iteration_that_does_not_converge_is_an_error) {
  auto& slot = kernels::svd<float>;
  const auto real = slot(cpu);
  slot.set(Backend::cpu,
           [](float*, float*, float*, int32_t* info, const float*, const MatrixBatch&, void*) { info[0] = 7; });
  BOOST_TEST(error_of([] {
               svd(ones({2, 2}));
             }) ==
             "svd: a is (2, 2), and it has no answer: LAPACK's iteration did not converge (info = 7). Did you mean to "
             "scale it first, or to use f64?");
  slot.set(Backend::cpu, real);
}

BOOST_AUTO_TEST_CASE(wrong_shapes_and_types_are_refused) {
  BOOST_TEST(error_of([] { qr(zeros({3})); }) ==
             "qr: a is (3,); it must be (..., M, N): the last two axes are the matrix");
  BOOST_TEST(error_of([] {
               eigh(zeros({3, 2}));
             }) == "eigh: a is (3, 2); a symmetric matrix has as many rows as columns. Did you mean svd(a)?");
  BOOST_TEST(error_of([] {
               svd(expand(zeros({1}), {20000, 20000}));
             }) == "svd: a is (20000, 20000); its shorter side may be at most 16384");
  BOOST_TEST(error_of([] {
               qr(expand(zeros({1}), {1, 20000000}));
             }) == "qr: a is (1, 20000000); a matrix has at most 16777216 rows and columns");
  BOOST_TEST(error_of([] { svd(zeros({2, 2}, i64)); }).find("Cast first") != std::string::npos);
  BOOST_TEST(error_of([] { qr(Tensor()); }).starts_with("qr: "));
}

BOOST_AUTO_TEST_SUITE_END()
