#include "autograd/ops/triangular.h"

#include <cmath>
#include <limits>

#include "autograd/gradcheck.h"
#include "tensor/copy.h"
#include "tensor/create.h"
#include "tensor/views.h"
#include "tests/support/compare.h"
#include "tests/support/error_of.h"
#include "tests/support/on_threads.h"

using namespace heed;

namespace {

constexpr long kMost = std::numeric_limits<long>::max(), kLeast = std::numeric_limits<long>::min();

}  // namespace

BOOST_AUTO_TEST_SUITE(triangular_test)

BOOST_AUTO_TEST_CASE(tril_and_triu_keep_their_side_of_the_diagonal) {
  const Tensor base = noise({2, 4, 5});
  for (const Tensor& x : {base, transpose(base), expand(slice(base, 0, 0, 1), {3, 4, 5}), select(base, 0, 1)})
    for (long diagonal : {0L, 1L, -1L, 3L, -6L, 7L, kMost, kLeast}) {
      const Tensor lower = tril(x, diagonal), upper = triu(x, diagonal);
      for_each_index(x.shape(), [&](const Shape& at) {
        const long below = at[at.dims() - 1] - at[at.dims() - 2];  // j - i
        BOOST_TEST(lower.at(at) == (below <= diagonal ? x.at(at) : 0));
        BOOST_TEST(upper.at(at) == (below >= diagonal ? x.at(at) : 0));
      });
    }
}

BOOST_AUTO_TEST_CASE(triangles_of_every_element_type_are_the_same) {
  for (DType dtype : {f32, f64, i32, i64, u8, boolean, bf16, f16}) {
    BOOST_TEST(same_bits(tril(ones({2, 3}, dtype)), tensor({1, 0, 0, 1, 1, 0}, {2, 3}, dtype)));
    BOOST_TEST(same_bits(triu(ones({2, 3}, dtype), 1), tensor({0, 1, 1, 0, 0, 1}, {2, 3}, dtype)));
  }
  BOOST_TEST(same_bits(tril(full({2, 2}, NAN)), tensor({NAN, 0, NAN, NAN}, {2, 2})));  // 0, not NaN * 0
}

BOOST_AUTO_TEST_CASE(the_mask_lets_the_last_query_see_all_keys) {
  BOOST_TEST(same_bits(triangular_mask(2, 4), tensor({1, 1, 1, 0, 1, 1, 1, 1}, {2, 4}, boolean)));
  BOOST_TEST(same_bits(triangular_mask(4, 2), tensor({0, 0, 0, 0, 1, 0, 1, 1}, {4, 2}, boolean)));
  for (long T : {0, 1, 5, 8})
    for (long S : {0, 1, 5, 9})
      for (long diagonal : {0L, 1L, -1L, 4L, -20L, 20L, kMost, kLeast}) {
        const Tensor mask = triangular_mask(T, S, diagonal);
        BOOST_TEST_REQUIRE(mask.shape() == (Shape{T, S}));
        for_each_index({T, S}, [&](const Shape& at) {
          const __int128 key = at[1], query = at[0] + S - T;  // positions
          BOOST_TEST(mask.at(at) == (key - query <= diagonal));
        });
      }
}

BOOST_AUTO_TEST_CASE(empty_matrices_have_empty_triangles) {
  BOOST_TEST(tril(zeros({0, 3})).shape() == (Shape{0, 3}));
  BOOST_TEST(triu(zeros({2, 3, 0}), 1).shape() == (Shape{2, 3, 0}));
  BOOST_TEST(triu(zeros({0, 3, 2})).shape() == (Shape{0, 3, 2}));
}

BOOST_AUTO_TEST_CASE(tril_and_triu_pass_gradcheck) {
  for (const Tensor& x : {noise({3, 5}), noise({2, 5, 3}), noise({1, 1}), noise({2, 0})})
    for (long diagonal : {-1, 0, 2}) {
      gradcheck([=](auto& v) { return tril(v[0], diagonal); }, {x});
      gradcheck([=](auto& v) { return triu(v[0], diagonal); }, {x});
    }
}

BOOST_AUTO_TEST_CASE(triangles_have_the_same_bits_for_any_thread_count) {
  const Tensor x = noise({3, 301, 257}, 1, f32);
  std::vector<Tensor> first;
  for (int count : {1, 2, 3})
    on_threads(count, [&] {
      const std::vector<Tensor> now{tril(x), triu(x, -7), triangular_mask(301, 257)};
      if (first.empty()) first = now;
      for (size_t i = 0; i < now.size(); i++) BOOST_TEST(same_bits(now[i], first[i]));
    });
}

BOOST_AUTO_TEST_CASE(bad_input_of_triangles_is_named) {
  BOOST_TEST(error_of([] { tril(zeros({3})); }) ==
             "tril: x is (3,); it must be a matrix (rows, cols) or a batch of them");
  error_of([] { triu(scalar(1)); });
  error_of([] { triu(Tensor()); });
  BOOST_TEST(error_of([] { triangular_mask(-1, 2); }) == "triangular_mask: T is -1 and S is 2; both must be 0 or more");
}

BOOST_AUTO_TEST_SUITE_END()
