#include "models/stack.h"

#include "autograd/ops/concatenate.h"
#include "autograd/ops/elementwise.h"
#include "autograd/ops/reduce.h"
#include "autograd/ops/views.h"
#include "nn/feed_forward.h"
#include "tensor/create.h"
#include "tensor/ops/layer_norm.h"
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
             "stack: the ordering 'sfx' has 'x' at place 2; the letters are c (cross-attention), f "
             "(feed-forward) and s (attention)");
  BOOST_TEST(error_of([] { Stack stack(small("")); }) ==
             "stack: the ordering is empty; it must have at least one letter, such as sfsf");
  BOOST_TEST(error_of([] {
               Stack stack(small("sc"));
               Context ctx;
               stack.forward(randn({1, 2, 16}, 1), {}, ctx);
             }) == "stack: the ordering has cross-attention (c), and no source was given");
}

BOOST_AUTO_TEST_CASE(layers_differ_by_a_list_of_specs) {
  StackOptions options = small("sfsfs");
  options.attention = "window:left=1,right=0;full";
  Stack stack(options);
  Context ctx;
  std::vector<std::vector<Look>> maps;
  const NoGrad no_grad;
  stack.forward(randn({1, 4, 16}, 1), {.mask = causal_mask(), .maps = &maps}, ctx);
  BOOST_TEST_REQUIRE(maps.size() == 3u);
  const auto sees_the_first = [&](size_t layer) { return maps[layer][0].value.at({0, 0, 3, 0}) > 0; };
  BOOST_TEST(!sees_the_first(0));
  BOOST_TEST(sees_the_first(1));
  BOOST_TEST(!sees_the_first(2));
  options.attention = "full*4";
  BOOST_TEST(error_of([&] {
               Stack too_many(options);
             }).starts_with("attention: 'full*4' is longer than the stack, which has 3 attentions"));
}

BOOST_AUTO_TEST_CASE(a_stack_can_what_all_its_attentions_can) {
  StackOptions options = small("sfsf");
  options.attention = "full;window";
  BOOST_TEST(Stack(options).can().decode);
  BOOST_TEST(!Stack(options).can().exact);  // of the two only full is
  BOOST_TEST(Stack(options).can().rotary);
  options.attention = "full;additive";
  BOOST_TEST(!Stack(options).can().rotary);
}

BOOST_AUTO_TEST_CASE(attentions_know_their_layer_and_share_parameters) {
  struct Knowing : Mixer {
    explicit Knowing(const MixerOptions& o) : shared(o.shared->get("u", {o.heads}, init::zeros())), options(o) {}
    Variable mix(const Variable& x, const MixIn&, Context&) override { return x; }
    Capabilities can() const override { return {.causal = true}; }
    Variable& shared;
    MixerOptions options;
  };
  static std::vector<Knowing*> made;
  made.clear();
  const RegisteredVariant variant{
      {.name = "knowing", .summary = "a test's", .make = [](const VariantOptions&, const MixerOptions& options) {
         auto mixer = std::make_unique<Knowing>(options);
         made.push_back(mixer.get());
         return mixer;
       }}};
  StackOptions options = small("sfsfs");
  options.attention = "knowing", options.grid = {2, 8};
  Stack stack(options);
  BOOST_TEST_REQUIRE(made.size() == 3u);
  for (long i = 0; i < 3; i++) {
    BOOST_TEST(made[size_t(i)]->options.layer == i);
    BOOST_TEST(made[size_t(i)]->options.layers == 3);
    BOOST_TEST(made[size_t(i)]->options.grid.columns == 8);
    BOOST_TEST(&made[size_t(i)]->shared == &made[0]->shared);
  }
  long count = 0;
  for (Parameter* p : stack.parameters()) count += p->path == "shared.u";
  BOOST_TEST(count == 1);
}

namespace {

// Adds a node behind the tokens, the mean of all, and makes every row the mean of itself and the node. It writes down
// how often it was asked to widen, and how many rows it saw.
struct WithNode : Mixer {
  inline static long widened = 0, narrowed = 0;
  inline static std::vector<long> rows;
  static void forget() { widened = narrowed = 0, rows.clear(); }

  Variable widen(const Variable& x, const MixIn&, Context&) override {
    widened++;
    return concatenate({x, mean(x, {1}, true)}, 1);
  }
  Variable narrow(const Variable& y, long T, const MixIn&, Context&) override {
    narrowed++;
    return slice(y, 1, 0, T);
  }
  Variable mix(const Variable& x, const MixIn&, Context&) override {
    rows.push_back(x.size(1));
    return (x + slice(x, 1, x.size(1) - 1, x.size(1))) * 0.5;
  }
  Capabilities can() const override { return {.widens = true}; }
};

const Variant kWithNode{.name = "with-node", .make = [](const VariantOptions&, const MixerOptions&) {
                          return std::make_unique<WithNode>();
                        }};

}  // namespace

BOOST_AUTO_TEST_CASE(nodes_beside_the_tokens_are_added_once_and_taken_away_at_the_end) {
  const RegisteredVariant variant{kWithNode};
  for (bool recompute : {false, true})
    for (bool reversible : {false, true}) {
      if (recompute && reversible) continue;
      StackOptions options = small("sfsf");
      options.attention = "with-node", options.recompute_blocks = recompute, options.reversible = reversible;
      Stack stack(options);
      Context ctx;
      WithNode::forget();
      const Variable x = Variable::leaf(randn({2, 5, 16}, 1));
      const NoGrad no_grad;
      BOOST_TEST(stack.forward(x, {}, ctx).shape() == (Shape{2, 5, 16}));
      BOOST_TEST(WithNode::widened == 1);
      BOOST_TEST(WithNode::narrowed == 1);
      BOOST_TEST(WithNode::rows == (std::vector<long>{6, 6}), boost::test_tools::per_element());
    }
}

BOOST_AUTO_TEST_CASE(an_attention_that_adds_nodes_is_not_mixed_with_others) {
  const RegisteredVariant variant{kWithNode};
  StackOptions options = small("sfsf");
  for (const char* list : {"with-node;full", "full;with-node"}) {
    options.attention = list;
    const std::string text = error_of([&] { Stack stack(options); });
    BOOST_TEST(text.starts_with("stack: the attentions "));
    BOOST_TEST(text.ends_with(" are mixed; one that adds nodes beside the tokens must be in all layers"));
  }
}

BOOST_AUTO_TEST_CASE(a_shared_parameter_has_one_shape) {
  Shared shared;
  Variable& u = shared.get("u", {2, 3}, init::zeros());
  BOOST_TEST(&shared.get("u", {2, 3}, init::zeros()) == &u);
  BOOST_TEST(
      error_of([&] {
        shared.get("u", {3, 2}, init::zeros());
      }) == "shared: 'u' is (2, 3) in an earlier layer, and a later one wants (3, 2); what layers share has one shape");
}

BOOST_AUTO_TEST_CASE(norms_without_a_mean_and_layers_without_biases) {
  StackOptions o = small();
  o.norm = "rms", o.bias = false;
  Stack stack(o);
  for (const Parameter* p : stack.parameters()) BOOST_TEST(p->path.find("bias") == std::string::npos, p->path);
  o.norm = "batch";
  BOOST_TEST(error_of([&] { Stack other(o); }) == "stack: there is no norm 'batch'; there are layer, rms");
}

BOOST_AUTO_TEST_CASE(what_every_sublayer_reads_can_be_taken) {
  Stack stack(small("sfsf"));
  Context ctx;
  std::vector<Tensor> inputs;
  const Variable x = randn({2, 5, 16}, 1);
  stack.forward(x, {.inputs = &inputs}, ctx);
  BOOST_REQUIRE(inputs.size() == 4u);
  check_close(inputs[0], layer_norm(x.value(), ones({16}), zeros({16})), kRounding);
}

BOOST_AUTO_TEST_SUITE_END()
