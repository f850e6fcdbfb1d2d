#include "autograd/ops/cross_entropy.h"
#include "autograd/ops/elementwise.h"
#include "models/classifier.h"
#include "models/encoder_decoder.h"
#include "models/gpt.h"
#include "nn/arena.h"
#include "tensor/copy.h"
#include "tensor/create.h"
#include "tensor/ops/elementwise.h"
#include "tensor/ops/reduce.h"
#include "tensor/random.h"
#include "tensor/views.h"
#include "tests/support/compare.h"
#include "tests/support/error_of.h"
#include "train/adamw.h"

using namespace heed;

namespace {

constexpr double kRounding = 1e-5;  // f32, some layers deep

StackOptions small(const std::string& ordering = "sfsf", bool pre_norm = true) {
  return {.C = 16, .heads = 2, .ordering = ordering, .pre_norm = pre_norm, .max_length = 64};
}

Tensor some_ids(long B, long T, long V = 11) { return cast(uniform({B, T}, {.seed = 7}, 0, double(V) - 0.01), i64); }

// Gives all parameters values, also the biases that begin as zeros.
void shake(Module& model) {
  uint32_t seed = 100;
  for (Parameter* p : model.parameters()) p->value.set_value(p->value.value() + randn(p->value.shape(), seed++) * 0.1);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(models_test)

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

BOOST_AUTO_TEST_CASE(a_padded_batch_is_classified_as_each_sample_alone) {
  for (const auto& [pool, positions] : {std::pair{"mean", "learned"}, {"cls", "learned"}, {"mean", "rotary"}}) {
    Classifier model({.V = 11, .classes = 3, .stack = small(), .positions = positions, .pool = pool});
    shake(model);
    Context ctx;
    const Tensor ids = some_ids(2, 12);
    const Tensor both = model.forward(ids, tensor({12, 5}, i64), ctx).value();
    BOOST_TEST(both.shape() == (Shape{2, 3}));
    const Tensor alone = model.forward(slice(slice(ids, 0, 1, 2), 1, 0, 5), {}, ctx).value();
    check_close(slice(both, 0, 1, 2), alone, kRounding);
    check_close(slice(both, 0, 0, 1), model.forward(slice(ids, 0, 0, 1), tensor({12}, i64), ctx).value(), kRounding);
  }
  Encoder encoder({.V = 11, .stack = small()});
  Context ctx;
  check_close(encoder.pooled(some_ids(1, 4), tensor({0}, i64), ctx).value(), zeros({1, small().C}), 0);
  BOOST_TEST(error_of([] { Classifier model({.stack = small(), .pool = "man"}); }) ==
             "encoder: there is no pool 'man'; there are mean, cls. Did you mean mean?");
}

BOOST_AUTO_TEST_CASE(two_towers_read_two_texts_of_different_lengths) {
  TwoTower model({.V = 11, .classes = 2, .stack = small("sf")});
  Context ctx;
  const Variable logits = model.forward(some_ids(3, 9), {}, some_ids(3, 4), tensor({4, 2, 1}, i64), ctx);
  BOOST_TEST(logits.shape() == (Shape{3, 2}));
  cross_entropy(logits, tensor({0, 1, 1}, i64)).backward();
  for (Parameter* p : model.parameters()) BOOST_TEST(p->value.grad().defined(), p->path);
}

BOOST_AUTO_TEST_CASE(a_decoder_with_a_state_equals_the_whole_and_honours_the_sources_lengths) {
  for (const char* positions : {"learned", "rotary"}) {
    EncoderDecoder model({.V = 11, .encoder = small("sf"), .decoder = small("scfscf"), .positions = positions});
    shake(model);
    Context ctx;
    NoGrad no_grad;
    const Tensor other = some_ids(2, 9), lengths = tensor({9, 4}, i64), ids = some_ids(2, 7);
    const Variable source = model.encode(other, lengths, ctx);
    const Tensor whole = model.decode(ids, source, lengths, ctx).value();
    StackState state = model.start(2, 7);
    for (long t = 0; t < 7; t++)
      check_close(model.decode(slice(ids, 1, t, t + 1), source, lengths, ctx, &state).value(),
                  slice(whole, 1, t, t + 1), kRounding);
    const Variable shorter = model.encode(slice(slice(other, 0, 1, 2), 1, 0, 4), {}, ctx);
    check_close(slice(whole, 0, 1, 2), model.decode(slice(ids, 0, 1, 2), shorter, {}, ctx).value(), kRounding);
  }
}

BOOST_AUTO_TEST_CASE(unknown_words_are_answered) {
  BOOST_TEST(error_of([] { Gpt model({.stack = small(), .positions = "learnt"}); }) ==
             "model: there is no kind of positions 'learnt'; there are learned, sinusoid, rotary, none. Did you mean "
             "learned?");
  BOOST_TEST(error_of([] {
               StackOptions stack = small();
               stack.attention = "ful";
               Gpt model({.stack = stack});
             }) ==
             "attention: there is no variant 'ful'; there are additive, full, local, local-neighbours, window. Did you "
             "mean full?");
}

BOOST_AUTO_TEST_SUITE_END()
