#include "models/gpt.h"

#include "autograd/ops/cross_entropy.h"
#include "autograd/ops/elementwise.h"
#include "nn/arena.h"
#include "nn/mixing/registry.h"
#include "system/text.h"
#include "tensor/copy.h"
#include "tensor/ops/elementwise.h"
#include "tensor/ops/reduce.h"
#include "tensor/views.h"
#include "tests/models/small_model.h"
#include "tests/support/compare.h"
#include "tests/support/error_of.h"
#include "train/adamw.h"

using namespace heed;

BOOST_AUTO_TEST_SUITE(gpt_test)

BOOST_AUTO_TEST_CASE(a_later_token_changes_no_earlier_prediction) {
  for (const char* attention : {"full", "window:left=3", "local:block=4"}) {
    StackOptions stack = small("sfs");
    stack.attention = attention;
    Gpt model({.V = 11, .stack = stack});
    Context ctx;
    const Tensor ids = some_ids(2, 12), before = model.forward(ids, ctx).value();
    const Tensor other = clone(ids);
    fill(slice(other, 1, 7, 12), 3);
    BOOST_TEST(
        same_bits(contiguous(slice(model.forward(other, ctx).value(), 1, 0, 7)), contiguous(slice(before, 1, 0, 7))));
  }
}

BOOST_AUTO_TEST_CASE(decoding_token_by_token_equals_the_whole) {
  for (const char* attention : {"full", "full:bias=t5", "window:left=3", "local:block=4", "local-neighbours:block=3"})
    for (const char* positions : {"learned", "sinusoid", "rotary", "none"}) {
      StackOptions stack = small("sfsf");
      stack.attention = attention;
      Gpt model({.V = 11, .stack = stack, .positions = positions, .tied = false});
      Context ctx;
      NoGrad no_grad;
      const Tensor ids = some_ids(2, 20), whole = model.forward(ids, ctx).value();
      StackState state = model.start(2, 20);
      for (long at = 0, T; at < 20; at += T) {
        T = at == 0 ? 5 : at == 9 ? 4 : 1;
        const Tensor part = model.forward(slice(ids, 1, at, at + T), ctx, &state).value();
        check_close(part, slice(whole, 1, at, at + T), kRounding);
      }
      BOOST_TEST(state.length() == 20);
      state.reset();
      check_close(model.forward(ids, ctx, &state).value(), whole, kRounding);
    }
}

BOOST_AUTO_TEST_CASE(every_parameter_learns) {
  Gpt model({.V = 11, .stack = small(), .tied = false});
  ParameterArena arena(model);
  AdamW optimiser(arena, {.weight_decay = 0});
  Context ctx;
  const Tensor ids = some_ids(4, 17), in = slice(ids, 1, 0, 16), next = contiguous(slice(ids, 1, 1, 17));
  double first = 0, last = 0;
  for (int step = 0; step < 60; step++) {
    arena.zero_gradients();
    const Variable loss = cross_entropy(model.forward(in, ctx), next);
    loss.backward();
    if (step == 0)
      for (Parameter* p : model.parameters()) BOOST_TEST(max(abs(p->value.grad())).item() > 0, p->path);
    optimiser.step(0.01);
    (step == 0 ? first : last) = loss.item();
  }
  BOOST_TEST(last < 0.3 * first);  // 64 tokens by heart
}

BOOST_AUTO_TEST_CASE(unknown_words_are_answered) {
  BOOST_TEST(error_of([] { Gpt model({.stack = small(), .positions = "learnt"}); }) ==
             "model: there is no kind of positions 'learnt'; there are learned, sinusoid, rotary, none. Did you mean "
             "learned?");
  BOOST_TEST(error_of([] {
               StackOptions stack = small();
               stack.attention = "ful";
               Gpt model({.stack = stack});
             }) == "attention: there is no variant 'ful'; there are " + joined(all_variants.names(), ", ") +
                       ". Did you mean full?");
}

BOOST_AUTO_TEST_SUITE_END()
