// Pictures of attention: which squares are where.
#include "show/attention_picture.h"

#include "tensor/create.h"
#include "tensor/ops/triangular.h"
#include "tests/support/error_of.h"

using namespace heed;

BOOST_AUTO_TEST_SUITE(attention_picture_test)

namespace {

long count(const Picture& picture, Colour colour) {
  long sum = 0;
  for (long y = 0; y < picture.height(); y++)
    for (long x = 0; x < picture.width(); x++) sum += picture.at(x, y) == colour;
  return sum;
}

using palette::kHidden, palette::kOwn, palette::kSeen;
constexpr long kLegend = 100;      // pixels of a colour's square there
constexpr long kSquare = 63 * 63;  // pixels of a pair in a map of 8 x 8

}  // namespace

BOOST_AUTO_TEST_CASE(every_visible_pair_is_a_square) {
  const Picture picture = draw_attention(tril(ones({1, 8, 8})), {.title = "causal"});
  BOOST_TEST(count(picture, kSeen) == kLegend + 28 * kSquare);
  BOOST_TEST(count(picture, kOwn) == kLegend + 8 * kSquare);
  BOOST_TEST(count(picture, kHidden) == kLegend + 28 * kSquare);
}

BOOST_AUTO_TEST_CASE(heads_that_look_the_same_are_drawn_once) {
  const Tensor one = tril(ones({1, 8, 8})), three = tril(ones({3, 8, 8}));
  const AttentionLook look{.title = "causal"};
  BOOST_TEST(draw_attention(three, look).width() == draw_attention(one, look).width());
  const Tensor differ = tensor({1, 0, 1, 1, 1, 1, 1, 1}, {2, 2, 2});
  BOOST_TEST(draw_attention(differ, look).width() > draw_attention(one, look).width());
  // Where colours tell the strength, each head has its own.
  BOOST_TEST(draw_attention(three, {.title = "causal", .strength = true}).width() >
             draw_attention(one, {.title = "causal", .strength = true}).width());
}

BOOST_AUTO_TEST_CASE(the_largest_weight_of_a_row_is_the_darkest) {
  const Tensor weights = tensor({0.25, 0.75, 0.5, 0}, {1, 2, 2});  // a square is 256 pixels wide, without its gap 255
  const Picture picture = draw_attention(weights, {.title = "weights", .strength = true});
  BOOST_TEST(count(picture, palette::sequential(1)) >= 2 * 255 * 255);  // and a line in the legend
  BOOST_TEST(count(picture, kHidden) == kLegend + 255 * 255);
}

BOOST_AUTO_TEST_CASE(queries_and_keys_may_differ_in_number) {
  // Two queries are the last of four tokens: their own places are keys 2 and 3.
  const Picture picture = draw_attention(ones({1, 2, 4}), {.title = "cross"});
  BOOST_TEST(count(picture, kOwn) == kLegend + 2 * 127 * 127);
  BOOST_TEST(count(picture, kSeen) == kLegend + 6 * 127 * 127);
}

BOOST_AUTO_TEST_CASE(weights_of_another_shape_are_an_error) {
  BOOST_TEST(error_of([] {
               draw_attention(ones({2, 2}), {.title = "?"});
             }) == "draw_attention: the weights are (2, 2); they must be (H, T, S), and not empty");
}

BOOST_AUTO_TEST_SUITE_END()
