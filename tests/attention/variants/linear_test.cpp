// What linear promises beyond the property suite: a state that does not grow, documents that do not see each other, and
// dropout that has nothing to drop.
#include "tensor/allocator.h"
#include "tensor/copy.h"
#include "tensor/create.h"
#include "tensor/views.h"
#include "tests/oracle/suite.h"
#include "tests/support/compare.h"
#include "tests/support/error_of.h"

using namespace heed;

namespace {

constexpr long C = 16;
const MixerOptions kSizes{.C = C, .heads = 2};

}  // namespace

BOOST_AUTO_TEST_SUITE(linear_variant_test)

BOOST_AUTO_TEST_CASE(its_state_is_as_large_after_a_thousand_tokens_as_after_one) {
  const NoGrad no_grad;
  Context ctx;
  const auto mixer = make_mixer("linear", kSizes);
  const auto state = mixer->start(1, 2000);
  const auto take = [&](long T) {
    mixer->forward(noise({1, T, C}, 1, f32), {.mask = causal_mask(), .state = state.get()}, ctx);
  };
  take(1);
  const long first = state->bytes();
  const size_t live = memory_stats().live;
  BOOST_TEST(first == 2 * 8 * 9 * 4);  // heads, D, D + 1, bytes of a float
  take(999), take(1);
  BOOST_TEST(state->bytes() == first);
  BOOST_TEST(memory_stats().live == live);
}

BOOST_AUTO_TEST_CASE(documents_in_one_sequence_equal_each_alone_also_token_by_token) {
  Context ctx;
  const auto mixer = make_mixer("linear", kSizes);
  mixer->cast_parameters(f64);
  const Tensor x = noise({1, 12, C}, 1), segments = tensor({7, 7, 7, 7, 7, 3, 3, 3, 9, 9, 9, 9}, {1, 12}, i64);
  for (const Mask& base : {Mask(), causal_mask()}) {
    const Tensor y = mixer->forward(x, {.mask = base & segment_mask(segments)}, ctx).value();
    for (auto [begin, end] : {std::pair{0L, 5L}, {5, 8}, {8, 12}}) {
      const Tensor alone = mixer->forward(slice(x, 1, begin, end), {.mask = base}, ctx).value();
      check_close(contiguous(slice(y, 1, begin, end)), alone, 1e-12);
    }
    if (!base.causal) continue;
    const auto state = mixer->start(1, 12);
    for (long t = 0; t < 12; t++) {
      const Mask mask = causal_mask() & segment_mask(contiguous(slice(segments, 1, 0, t + 1)));
      const Tensor one = mixer->forward(slice(x, 1, t, t + 1), {.mask = mask, .state = state.get()}, ctx).value();
      check_close(one, contiguous(slice(y, 1, t, t + 1)), 1e-12);
    }
  }
}

BOOST_AUTO_TEST_CASE(a_segment_that_comes_back_is_refused) {
  Context ctx;
  const auto mixer = make_mixer("linear", kSizes);
  const Mask mask = causal_mask() & segment_mask(tensor({1, 2, 1}, {1, 3}, i64));
  BOOST_TEST(error_of([&] {
               mixer->forward(zeros({1, 3, C}), {.mask = mask}, ctx);
             }).find("a segment is one run of tokens") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_query_cannot_leave_out_a_key_and_the_refusal_says_why) {
  Context ctx;
  const auto mixer = make_mixer("linear", kSizes);
  BOOST_TEST(error_of([&] {
               mixer->forward(zeros({1, 3, C}), {.mask = window_mask(1, 1)}, ctx);
             }) ==
             "linear: the mask has a window, which this attention does not honour: keys are added up before a query "
             "asks, so that no query can leave one out. Leave it out, or use full");
}

BOOST_AUTO_TEST_SUITE_END()
