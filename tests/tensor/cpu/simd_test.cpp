// Vec and the helpers for one row against plain loops, for rows of every length up to a few vectors.
#include "tensor/cpu/simd.h"

#include <numeric>
#include <vector>

using namespace heed;

namespace {

template <class E> std::vector<E> row(long n) {
  std::vector<E> x(static_cast<size_t>(n));
  for (long i = 0; i < n; i++) x[size_t(i)] = E((7 * i + 3) % 11) - 5;  // whole numbers: sums are exact
  return x;
}

template <class E> void check_rows() {
  for (long n = 0; n < 9 * Vec<E>::kLanes; n++) {
    const std::vector<E> x = row<E>(n);
    BOOST_TEST(sum_vectors<E>(n, [&](long i, long count) { return Vec<E>::load(x.data() + i, count); }) ==
               std::accumulate(x.begin(), x.end(), E(0)));
    E top = -std::numeric_limits<E>::infinity();
    for (E value : x) top = std::max(top, value);
    BOOST_TEST(max_vectors(x.data(), n) == top);
    std::vector<E> twice(size_t(n) + 1, E(99));
    for_vectors<E>(n, [&](long i, long count) {
      const auto v = Vec<E>::load(x.data() + i, count);
      (v + v).store(twice.data() + i, count);
    });
    for (long i = 0; i < n; i++) BOOST_TEST(twice[size_t(i)] == 2 * x[size_t(i)]);
    BOOST_TEST(twice[size_t(n)] == 99);  // nothing beyond the row is touched
  }
}

}  // namespace

BOOST_AUTO_TEST_SUITE(simd_test)

BOOST_AUTO_TEST_CASE(rows_of_any_length_equal_plain_loops) {
  check_rows<float>();
  check_rows<double>();
}

BOOST_AUTO_TEST_CASE(lanes_beyond_the_end_have_the_value_asked_for) {
  const float x[] = {1, 2};
  const auto v = Vec<float>::load(x, 2, 7);
  BOOST_TEST(v.raw[0] == 1);
  BOOST_TEST(v.raw[1] == 2);
  for (long j = 2; j < Vec<float>::kLanes; j++) BOOST_TEST(v.raw[j] == 7);
}

BOOST_AUTO_TEST_CASE(nan_is_passed_over_by_the_maximum) {
  const float nan = std::numeric_limits<float>::quiet_NaN(), x[] = {nan, 1, nan, 5, nan};
  BOOST_TEST(max_vectors(x, 5) == 5);
}

BOOST_AUTO_TEST_SUITE_END()
