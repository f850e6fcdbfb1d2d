// What holds for every ordering: also for sandwiches and for orderings that begin with feed-forward.
#include "models/orderings.h"
#include "tensor/create.h"
#include "tensor/views.h"
#include "tests/models/small_model.h"
#include "tests/support/compare.h"

using namespace heed;

namespace {

const std::vector<std::string>& orderings() {
  static const std::vector<std::string> all = {"ssff",
                                               "fssf",
                                               "sfff",
                                               "fs",
                                               expanded_ordering("sandwich:1", 4),
                                               expanded_ordering("sandwich:4", 4),
                                               expanded_ordering("random:3", 3),
                                               expanded_ordering("unbalanced:3", 3)};
  return all;
}

// Of the variants that can, as the stack of a language model
std::vector<std::string> cut_anywhere() {
  std::vector<std::string> names;
  for (const Variant* variant : variants()) {
    const Capabilities can = make_mixer(variant->name, {.C = 16, .heads = 2, .max_length = 64, .grid = {3, 3}})->can();
    if (can.causal && can.decode && can.any_cut && !can.widens) names.push_back(variant->name);
  }
  return names;
}

void check_chunks(const StackOptions& options) {
  Stack stack(options);
  shake(stack);
  Context ctx;
  const NoGrad no_grad;
  const Tensor x = randn({2, 9, 16}, 1);
  const Tensor whole = stack.forward(x, {.mask = causal_mask()}, ctx).value();
  StackState state = stack.start(2, 9);
  for (const auto& [begin, end] : {std::pair{0, 1}, {1, 5}, {5, 6}, {6, 9}}) {
    const Variable y = stack.forward(slice(x, 1, begin, end), {.mask = causal_mask(), .state = &state}, ctx);
    BOOST_TEST_CONTEXT(options.ordering << " of " << options.attention)
    check_close(y.value(), slice(whole, 1, begin, end), kRounding);
  }
  BOOST_TEST(state.length() == 9);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(stack_orderings_test)

BOOST_AUTO_TEST_CASE(chunks_through_a_state_equal_the_whole_in_every_ordering) {
  for (const std::string& ordering : orderings())
    for (bool pre_norm : {true, false}) check_chunks(small(ordering, pre_norm));
}

BOOST_AUTO_TEST_CASE(chunks_through_a_state_equal_the_whole_with_every_attention) {
  BOOST_TEST(cut_anywhere().size() > 3u);
  for (const std::string& attention : cut_anywhere())
    for (const char* ordering : {"fssf", "sssfff"}) {
      StackOptions options = small(ordering);
      options.attention = attention, options.grid = {3, 3};
      check_chunks(options);
    }
}

BOOST_AUTO_TEST_CASE(padding_changes_no_token_in_any_ordering) {
  for (const std::string& ordering : orderings()) {
    Stack stack(small(ordering));
    shake(stack);
    Context ctx;
    const NoGrad no_grad;
    const Tensor x = randn({1, 6, 16}, 1);
    const Tensor alone = stack.forward(slice(x, 1, 0, 4), {}, ctx).value();
    const Tensor padded = stack.forward(x, {.mask = length_mask(tensor({4}, i64))}, ctx).value();
    check_close(slice(padded, 1, 0, 4), alone, kRounding);
  }
}

BOOST_AUTO_TEST_SUITE_END()
