#include "system/ceil_div.h"

using namespace heed;

BOOST_AUTO_TEST_SUITE(ceil_div_test)

BOOST_AUTO_TEST_CASE(so_many_pieces_cover_and_one_less_does_not) {
  for (long a = 0; a < 20; a++)
    for (long b = 1; b < 7; b++) {
      BOOST_TEST(ceil_div(a, b) * b >= a);
      BOOST_TEST((ceil_div(a, b) - 1) * b < a);
    }
}

BOOST_AUTO_TEST_SUITE_END()
