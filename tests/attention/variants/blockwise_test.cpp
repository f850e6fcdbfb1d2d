// What blockwise promises beyond the property suite: its heads share out the blocks, and lists that do not fit are
// told.
#include "attention/engines/softmax_engine.h"
#include "tensor/copy.h"
#include "tensor/create.h"
#include "tensor/ops/compare.h"
#include "tensor/ops/elementwise.h"
#include "tensor/views.h"
#include "tests/oracle/suite.h"
#include "tests/support/compare.h"
#include "tests/support/error_of.h"

using namespace heed;

namespace {

constexpr long C = 24;

// Which keys head h of a mixer of 12 heads sees, (T, T)
Tensor seen(const std::string& spec, long h, long T) {
  Context ctx;
  const auto mixer = make_mixer(spec, {.C = C, .heads = 12});
  mixer->cast_parameters(f64);
  const Tensor weights = mixer->weights(noise({1, T, C}, 1), {}, ctx);
  return greater(select(select(weights, 0, 0), 0, h), scalar(0, f64));
}

std::string refusal(const std::string& spec, long heads = 4) {
  return error_of([&] { make_mixer(spec, {.C = 8 * heads, .heads = heads}); });
}

}  // namespace

BOOST_AUTO_TEST_SUITE(blockwise_test)

BOOST_AUTO_TEST_CASE(all_shifts_together_see_every_pair_once) {
  for (long T : {1, 4, 9, 16, 23}) {
    const std::string spec = "blockwise:blocks=4,shifts=0/1/2/3,shares=3/3/3/3";
    Tensor times = zeros({T, T}, f64);
    for (long h : {0, 3, 6, 9}) times = times + cast(seen(spec, h, T), f64);
    check_close(times, ones({T, T}, f64), 0);
  }
}

BOOST_AUTO_TEST_CASE(one_head_in_six_is_shifted_by_default) {
  const auto shifted = [](const std::string& spec, long h) { return !same_bits(seen(spec, h, 16), seen(spec, 0, 16)); };
  for (long h = 0; h < 12; h++) BOOST_TEST(shifted("blockwise", h) == (h >= 10));
  for (long h = 0; h < 12; h++) BOOST_TEST(shifted("blockwise:blocks=3,shifts=0/1/2", h) == (h >= 8));
}

BOOST_AUTO_TEST_CASE(lists_that_do_not_fit_the_heads_are_refused) {
  BOOST_TEST(refusal("blockwise:shares=3/2") == "blockwise: got shares=3/2, which are 5 heads in all; there are 4");
  BOOST_TEST(refusal("blockwise:shifts=0/1/2,shares=2/2") ==
             "blockwise: got shifts=0/1/2 and shares=2/2; there must be as many shares as shifts");
  BOOST_TEST(refusal("blockwise:shifts=0/x").starts_with("blockwise: got shifts=x; it must be a number from 0"));
  BOOST_CHECK_NO_THROW(
      make_mixer("blockwise:shifts=0/1/2/3/4/5/6", {.C = 8, .heads = 4}));  // the first ones get a head
}

BOOST_AUTO_TEST_CASE(what_looks_ahead_is_not_causal_and_says_what_to_give) {
  Context ctx;
  for (const char* spec : {"blockwise", "blockwise:block=4", "blockwise:wrap=no"}) {
    const auto mixer = make_mixer(spec, {.C = C, .heads = 4});
    BOOST_TEST(error_of([&] {
                 mixer->forward(zeros({1, 8, C}), {.mask = causal_mask()}, ctx);
               }) ==
               "blockwise: the mask is causal, which this attention does not honour: its blocks depend on the length, "
               "and shifts look ahead; give block= and wrap=no. Leave it out, or use full");
  }
  BOOST_TEST(make_mixer("blockwise:block=4,wrap=no", {.C = C, .heads = 4})->can().decode);
}

BOOST_AUTO_TEST_SUITE_END()
