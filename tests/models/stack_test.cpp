#include "models/stack.h"

#include "autograd/ops/elementwise.h"
#include "tensor/random.h"
#include "tests/models/small_model.h"
#include "tests/support/compare.h"
#include "tests/support/error_of.h"

using namespace heed;

BOOST_AUTO_TEST_SUITE(stack_test)

BOOST_AUTO_TEST_CASE(a_stack_is_its_sublayers_with_norms_and_sums) {
  for (bool pre : {true, false}) {
    Stack stack(small("sff", pre));
    shake(stack);
    Context ctx;
    const Variable x = randn({2, 5, 16}, 1);
    // The same by hand, with modules of the same names and so the same parameters.
    struct Parts : Module {
      LayerNorm &n0 = child<LayerNorm>("norm_0", 16), &n1 = child<LayerNorm>("norm_1", 16),
                &n2 = child<LayerNorm>("norm_2", 16), &last = child<LayerNorm>("norm", 16);
      Mixer& s = child_from("layer_0", [] { return make_mixer("full", {.C = 16, .heads = 2}); });
      FeedForward &f1 = child<FeedForward>("layer_1", 16, 64), &f2 = child<FeedForward>("layer_2", 16, 64);
    } parts;
    for (Parameter* to : parts.parameters())
      for (Parameter* from : stack.parameters())
        if (from->path == to->path) to->value.set_value(from->value.value());
    const MixIn in{.mask = causal_mask()};
    Variable y = x;
    if (pre) {
      y = y + parts.s.forward(parts.n0.forward(y, ctx), in, ctx);
      y = y + parts.f1.forward(parts.n1.forward(y, ctx), ctx);
      y = y + parts.f2.forward(parts.n2.forward(y, ctx), ctx);
      y = parts.last.forward(y, ctx);
    } else {
      y = parts.n0.forward(y + parts.s.forward(y, in, ctx), ctx);
      y = parts.n1.forward(y + parts.f1.forward(y, ctx), ctx);
      y = parts.n2.forward(y + parts.f2.forward(y, ctx), ctx);
    }
    check_close(stack.forward(x, {.mask = causal_mask()}, ctx).value(), y.value(), kRounding);
  }
}

BOOST_AUTO_TEST_CASE(orderings_are_checked) {
  BOOST_TEST(repeated("sf", 3) == "sfsfsf");
  BOOST_TEST(error_of([] { Stack stack(small("sfx")); }) ==
             "stack: the ordering 'sfx' has 'x' at place 2; the letters are s (attention), f (feed-forward) and c "
             "(cross-attention)");
  BOOST_TEST(error_of([] { Stack stack(small("")); }) ==
             "stack: the ordering is empty; it must have at least one of s, f and c, such as sfsf");
  BOOST_TEST(error_of([] {
               Stack stack(small("sc"));
               Context ctx;
               stack.forward(randn({1, 2, 16}, 1), {}, ctx);
             }) == "stack: the ordering has cross-attention (c), and no source was given");
}

BOOST_AUTO_TEST_SUITE_END()
