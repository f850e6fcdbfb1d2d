#include "autograd/ops/reduce.h"

#include "autograd/gradcheck.h"
#include "autograd/ops/elementwise.h"
#include "tests/support/compare.h"

using namespace heed;

BOOST_AUTO_TEST_SUITE(reduce_test)

BOOST_AUTO_TEST_CASE(every_reduction_passes_gradcheck) {
  const struct {
    Shape x, axes;
  } table[] = {{{3, 4}, {}}, {{3, 4, 5}, {1}}, {{3, 4, 5}, {0, 2}}, {{3, 4}, {-1}}, {{7}, {0}}, {{2, 0, 3}, {2}}};
  for (const auto& row : table)
    for (bool keep : {false, true}) {
      BOOST_TEST_INFO_SCOPE("x " << row.x << " axes " << row.axes << " keep " << keep);
      const std::vector<Tensor> x{noise(row.x)};
      BOOST_CHECK_NO_THROW(gradcheck([&](auto& v) { return sum(v[0], row.axes, keep); }, x));
      BOOST_CHECK_NO_THROW(gradcheck([&](auto& v) { return mean(v[0], row.axes, keep); }, x));
      BOOST_CHECK_NO_THROW(gradcheck([&](auto& v) { return max(v[0], row.axes, keep); }, x));
      BOOST_CHECK_NO_THROW(gradcheck([&](auto& v) { return variance(v[0], row.axes, 0, keep); }, x));
      BOOST_CHECK_NO_THROW(gradcheck([&](auto& v) { return variance(v[0], row.axes, 1, keep); }, x));
      BOOST_CHECK_NO_THROW(gradcheck([&](auto& v) { return logsumexp(v[0], row.axes, keep); }, x));
      BOOST_CHECK_NO_THROW(gradcheck([&](auto& v) { return min(v[0], row.axes, keep); }, x));
    }
  BOOST_CHECK_NO_THROW(gradcheck([](auto& v) { return logsumexp(v[0], {1}) + min(v[0], {0}); }, {noise({1, 1})}));
  BOOST_CHECK_NO_THROW(gradcheck([](auto& v) { return logsumexp(v[0], {1}); }, {noise({2, 0, 3})}));
  BOOST_CHECK_NO_THROW(gradcheck([](auto& v) { return sum(v[0], {1}); }, {noise({2, 0, 3})}));
  BOOST_CHECK_NO_THROW(gradcheck([](auto& v) { return sum(v[0], {-1}, true) * v[0]; }, {noise({3, 4})}));
}

BOOST_AUTO_TEST_SUITE_END()
