// Encoder: vectors of tokens under any mask, and tokens that stand elsewhere than their number says.
#include "models/encoder.h"

#include "tensor/copy.h"
#include "tensor/create.h"
#include "tensor/ops/gather.h"
#include "tensor/views.h"
#include "tests/support/compare.h"
#include "tests/support/error_of.h"

using namespace heed;
namespace data = boost::unit_test::data;

namespace {

struct Kind {
  const char *positions, *attention;
};
std::ostream& operator<<(std::ostream& out, const Kind& kind) {
  return out << kind.positions << " positions, " << kind.attention;
}
const std::vector<Kind> kKinds = {{"learned", "full"},         {"sinusoid", "full"},     {"rotary", "full"},
                                  {"none", "full:bias=alibi"}, {"none", "full:bias=t5"}, {"none", "full:bias=shaw"},
                                  {"rotary", "full:bias=t5"}};

EncoderOptions small(const Kind& kind) {
  return {.V = 11,
          .stack = {.C = 16, .heads = 2, .attention = kind.attention, .deviation = 0.3, .max_length = 20},
          .positions = kind.positions};
}

}  // namespace

BOOST_AUTO_TEST_SUITE(encoder_test)

// Each sample has an order of its own: what is moved together with its position changes nothing but the order.
BOOST_DATA_TEST_CASE(tokens_that_change_places_with_their_positions_stay_what_they_are, data::make(kKinds), kind) {
  Encoder encoder(small(kind));
  encoder.cast_parameters(f64);
  Context ctx;
  const Tensor ids = tensor({3, 1, 4, 1, 5, 9, 2, 6, 5, 3}, i64), order = tensor({2, 0, 4, 1, 3, 4, 3, 2, 1, 0}, i64);
  const Tensor rows = reshape(ids, {2, 5}), places = reshape(order, {2, 5});
  const Tensor usual = encoder.forward(rows, Mask(), nullptr, ctx).value();
  const Tokens tokens{.positions = places};
  const Tensor moved = encoder.forward(gather(rows, 1, places), Mask(), &tokens, ctx).value();
  const Tensor index = contiguous(expand(unsqueeze(places, 2), usual.shape()));
  check_close(moved, gather(usual, 1, index), 1e-12);
}

BOOST_DATA_TEST_CASE(one_list_of_positions_serves_all_samples_and_usual_ones_change_nothing, data::make(kKinds), kind) {
  Encoder encoder(small(kind));
  encoder.cast_parameters(f64);
  Context ctx;
  const Tensor ids = reshape(tensor({3, 1, 4, 1, 5, 9}, i64), {2, 3});
  const Tokens usual{.positions = reshape(tensor({0, 1, 2}, i64), {1, 3})};
  const Tokens far{.positions = reshape(tensor({5, 5, 19}, i64), {1, 3})};
  const Tensor plain = encoder.forward(ids, Mask(), nullptr, ctx).value();
  check_close(encoder.forward(ids, Mask(), &usual, ctx).value(), plain, 1e-12);
  BOOST_TEST(!same_bits(encoder.forward(ids, Mask(), &far, ctx).value(), plain));
}

BOOST_AUTO_TEST_CASE(positions_out_of_range_are_refused) {
  Context ctx;
  const Tensor ids = zeros({1, 2}, i64);
  const auto refusal = [&](const Kind& kind, const Tensor& positions) {
    Encoder encoder(small(kind));
    const Tokens tokens{.positions = reshape(positions, {1, 2})};
    return error_of([&] { encoder.forward(ids, Mask(), &tokens, ctx); });
  };
  BOOST_TEST(refusal({"learned", "full"}, tensor({0, 20}, i64)) ==
             "learned_positions: positions from 0 to 20 were given; there are positions 0 to 19. Make the module "
             "longer, or the positions smaller");
  BOOST_TEST(refusal({"rotary", "full"}, tensor({-1, 3}, i64)) ==
             "rotary: position -1 was given; positions begin at 0");
  BOOST_TEST(refusal({"sinusoid", "full"}, tensor({-4, 3}, i64)).starts_with("sinusoid_positions: positions from -4"));
  BOOST_TEST(refusal({"learned", "full"}, tensor({0, 1}, i32)) ==
             "model: the positions are (1, 2) i32 and (B, T) is (1, 2); they must be i64 of shape (B, T), or (1, T) "
             "for all samples");
}

BOOST_AUTO_TEST_SUITE_END()
