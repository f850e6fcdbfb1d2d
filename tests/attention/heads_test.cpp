#include "attention/heads.h"

#include "tensor/copy.h"
#include "tensor/create.h"
#include "tensor/views.h"
#include "tests/support/compare.h"

using namespace heed;

BOOST_AUTO_TEST_SUITE(heads_test)

BOOST_AUTO_TEST_CASE(every_head_of_keys_serves_as_many_heads_of_queries_side_by_side) {
  const Tensor x = noise({2, 2, 3, 4}, 1), all = for_all_heads(x, 6).value();
  BOOST_TEST(all.shape() == (Shape{2, 6, 3, 4}));
  for (int h = 0; h < 6; h++) check_close(contiguous(select(all, 1, h)), contiguous(select(x, 1, h / 3)), 0);
  BOOST_TEST(for_all_heads(x, 2).value().data<double>() == x.data<double>());  // as many already: no copy
}

BOOST_AUTO_TEST_CASE(joined_heads_lie_side_by_side_in_the_row_of_their_token) {
  const Tensor rows = noise({2, 5, 12}, 1);  // 3 heads of 4 channels
  const Tensor o = transpose(reshape(rows, {2, 5, 3, 4}), 1, 2);
  check_close(joined_heads(o).value(), rows, 0);
  BOOST_TEST(joined_heads(o).value().data<double>() == rows.data<double>());
  check_close(joined_heads(contiguous(o)).value(), rows, 0);
}

BOOST_AUTO_TEST_SUITE_END()
