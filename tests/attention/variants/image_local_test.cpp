// The pictures of image-local, drawn from the weights of the mixer itself; the property suite compares its numbers.
#include <algorithm>

#include "tests/oracle/suite.h"
#include "tests/support/compare.h"

using namespace heed;

namespace {

// Rows of '#' (has weight) and '.', one head of one sample.
std::string picture(const std::string& spec, const Mask& mask, long n) {
  Context ctx;
  const Tensor weights = mixer_of(spec)->weights(noise({1, n, kOracleSizes.C}, 1), {.mask = mask}, ctx);
  std::string text;
  for (long i = 0; i < n; i++) {
    for (long j = 0; j < n; j++) text += weights.at({0, 0, i, j}) > 0 ? '#' : '.';
    text += '\n';
  }
  return text;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(image_local_test)

BOOST_AUTO_TEST_CASE(causal_blocks_of_four_with_a_margin_of_four_have_88_pairs) {
  const std::string got = picture("image-local:block=4,margin=4", causal_mask(), 16);
  BOOST_TEST(got ==
             "#...............\n##..............\n###.............\n####............\n"
             "#####...........\n######..........\n#######.........\n########........\n"
             "....#####.......\n....######......\n....#######.....\n....########....\n"
             "........#####...\n........######..\n........#######.\n........########\n");
  BOOST_TEST(std::count(got.begin(), got.end(), '#') == 88);
}

BOOST_AUTO_TEST_CASE(without_order_the_margin_is_on_both_sides_and_the_last_block_may_be_short) {
  BOOST_TEST(picture("image-local:block=3,margin=2", {}, 8) ==
             "#####...\n#####...\n#####...\n.#######\n.#######\n.#######\n....####\n....####\n");
}

BOOST_AUTO_TEST_SUITE_END()
