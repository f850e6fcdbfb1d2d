// Products in bf16: rounded operands, f32 sums, f32 masters.
#include "autograd/ops/bf16.h"

#include <cmath>

#include "autograd/gradcheck.h"
#include "autograd/ops/cross_entropy.h"
#include "autograd/ops/elementwise.h"
#include "autograd/ops/matmul.h"
#include "autograd/ops/reduce.h"
#include "models/gpt.h"
#include "nn/arena.h"
#include "nn/mixing/registry.h"
#include "tensor/copy.h"
#include "tensor/create.h"
#include "tensor/ops/elementwise.h"
#include "tensor/ops/reduce.h"
#include "tensor/ops/softmax.h"
#include "tensor/random.h"
#include "tensor/views.h"
#include "tests/support/compare.h"
#include "tests/support/error_of.h"
#include "train/adamw.h"

using namespace heed;

namespace {

// To nearest, ties to even, by the definition: of the two neighbours with 8 significant bits the nearer one.
float by_hand(float x) {
  if (x == 0 || !std::isfinite(x)) return x;
  int exponent = 0;
  const double mantissa = std::frexp(double(x), &exponent);  // 0.5 <= |mantissa| < 1
  return float(std::ldexp(std::nearbyint(std::ldexp(mantissa, 8)), exponent - 8));
}

Tensor rounded(const Tensor& x) {
  std::vector<float> values = x.to_vector<float>();
  for (float& value : values) value = by_hand(value);
  return from_vector(values, x.shape());
}

constexpr double kSums = 1e-6;  // f32 sums in another order

// The last loss of training on one batch
double trained_loss(bool bf16, bool recomputed) {
  StackOptions stack{.C = 32, .heads = 2, .ordering = "sfsf", .dropout = 0.1, .max_length = 16};
  stack.recompute_blocks = recomputed;
  Gpt model({.V = 13, .stack = stack});
  ParameterArena arena(model);
  AdamW optimiser(arena, {.clip = 1});
  Context ctx;
  ctx.train = true;
  const Tensor ids = cast(uniform({8, 17}, {.seed = 5}, 0, 12.9), i64);
  double last = 0;
  for (uint32_t step = 0; step < 80; step++) {
    ctx.begin(step);
    ctx.bf16 = bf16;
    arena.zero_gradients();
    const Variable loss = cross_entropy(model.forward(slice(ids, 1, 0, 16), ctx), contiguous(slice(ids, 1, 1, 17)));
    ctx.bf16 = false;  // a replay brings it back by itself
    loss.backward();
    optimiser.step(0.003);
    last = loss.item();
  }
  return last;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(bf16_test)

BOOST_AUTO_TEST_CASE(operands_are_rounded_to_nearest_even_and_nan_stays) {
  std::vector<float> values = {0.f, -0.f, 1.f, 1.00390625f, 1.01171875f, -1.00390625f, 3.3e38f, INFINITY, -INFINITY};
  for (const float each : noise({1000}, 1, f32).to_vector<float>()) values.push_back(each);
  const Tensor x = from_vector(values, {long(values.size())});
  BOOST_TEST(same_bits(bf16_operand(x).value(), rounded(x)));
  BOOST_TEST(bf16_operand(tensor({1.00390625, 1.01171875})).value().to_vector<double>() ==
             (std::vector<double>{1, 1.015625}));  // both are ties
  BOOST_TEST(std::isnan(bf16_operand(tensor({NAN})).value().item()));
  BOOST_TEST(same_bits(bf16_operand(noise({5})).value(), noise({5})));  // f64 stays
}

BOOST_AUTO_TEST_CASE(rounding_is_the_identity_of_gradients_and_theirs_is_rounded) {
  gradcheck([](auto& x) { return bf16_operand(x[0]) * 2.0; }, {noise({3, 4})});
  gradcheck([](auto& x) { return bf16_gradient(x[0]) * 2.0; }, {noise({3, 4})}, {.f32_tolerance = 0.02});
  const Variable x = Variable::leaf(noise({3, 4}, 1, f32));
  const Tensor dy = noise({3, 4}, 2, f32);
  bf16_gradient(x * 1.0).backward(dy);
  BOOST_TEST(same_bits(x.grad(), rounded(dy)));
}

BOOST_AUTO_TEST_CASE(a_linear_layer_multiplies_rounded_operands_forwards_and_backwards) {
  Linear layer(33, 17);
  fill(layer.bias().value(), 0.123);
  Context ctx;
  ctx.bf16 = true;
  const Variable x = Variable::leaf(noise({5, 33}, 1, f32));
  const Tensor dy = noise({5, 17}, 2, f32), w = layer.weight.value();
  const Variable y = layer.forward(x, ctx);
  check_close(y.value(), linear(rounded(x.value()), rounded(w), layer.bias().value()), kSums);
  BOOST_TEST(max(abs(y.value() - linear(x.value(), w, layer.bias().value()))).item() > 1e-4);
  y.backward(dy);
  check_close(x.grad(), matmul(rounded(dy), rounded(w)), kSums);
  check_close(layer.weight.grad(), matmul(transpose(rounded(dy)), rounded(x.value())), kSums);
  check_close(layer.bias().grad(), sum(rounded(dy), {0}), kSums);
}

BOOST_AUTO_TEST_CASE(a_product_of_bf16_has_the_bits_of_that_of_rounded_numbers) {
  for (const Shape& shape : {Shape{5, 33}, Shape{2, 3, 64}, Shape{130, 256}, Shape{0, 4}}) {
    const Tensor x = noise(shape, 1, f32), w = noise({70, shape.back()}, 2, f32), b = noise({70}, 3, f32);
    std::vector<Variable> one = {Variable::leaf(x), Variable::leaf(w), Variable::leaf(b)};
    std::vector<Variable> two = {Variable::leaf(x), Variable::leaf(w), Variable::leaf(b)};
    const Variable y = linear_bf16(one[0], one[1], one[2]);
    const Variable plain = bf16_gradient(linear(bf16_operand(two[0]), bf16_operand(two[1]), two[2]));
    BOOST_TEST(same_bits(y.value(), plain.value()));
    const Tensor dy = noise(y.shape(), 4, f32);
    y.backward(dy), plain.backward(dy);
    for (size_t i = 0; i < 3; i++) BOOST_TEST(same_bits(one[i].grad(), two[i].grad()));
  }
  gradcheck([](auto& in) { return linear_bf16(in[0], in[1], in[2]); }, {noise({3, 4}), noise({5, 4}, 2), noise({5}, 3)},
            {.f32_tolerance = 0.05});
  const Tensor x = noise({3, 4}), w = noise({5, 4}, 2), b = noise({5}, 3);
  BOOST_TEST(same_bits(linear_bf16(x, w, b).value(), linear(x, w, b)));  // f64 is not rounded
  BOOST_TEST(error_of([&] { linear_bf16(cast(x, f32), w, b); }).starts_with("linear: a is f32 and b is f64; "));
}

BOOST_AUTO_TEST_CASE(attention_and_logits_multiply_rounded_operands) {
  const auto mixer = make_mixer("full", {.C = 12, .heads = 3});
  Context ctx, plain;
  ctx.bf16 = true;
  const Tensor x = noise({2, 6, 12}, 1, f32);
  const auto named = [&](const std::string& path) {
    for (Parameter* p : mixer->parameters())
      if (p->path == path) return p->value.value();
    return Tensor();
  };
  const Tensor projected = rounded(linear(rounded(x), rounded(named("in.weight")), named("in.bias")));
  Tensor all = Tensor::empty({2, 6, 12}), shown = mixer->weights(x, {}, ctx);
  for (long h = 0; h < 3; h++) {
    const auto part = [&](long i) { return slice(projected, 2, 12 * i + 4 * h, 12 * i + 4 * h + 4); };
    const Tensor scores = matmul(part(0), transpose(part(1))) * 0.5;
    copy_into(slice(all, 2, 4 * h, 4 * h + 4), matmul(softmax(scores), part(2)));
    check_close(select(shown, 1, h), softmax(scores), kSums);
  }
  check_close(mixer->forward(x, {}, ctx).value(), linear(rounded(all), rounded(named("out.weight")), named("out.bias")),
              2e-3);  // a sum at the edge of two roundings may fall to either side
  BOOST_TEST(!same_bits(mixer->forward(x, {}, ctx).value(), mixer->forward(x, {}, plain).value()));
  Embedding tokens(7, 12);
  check_close(tokens.logits(x, ctx).value(), linear(rounded(x), rounded(tokens.weight.value()), {}), kSums);
}

BOOST_AUTO_TEST_CASE(an_update_too_small_for_bf16_survives_in_the_masters) {
  Linear layer(4, 4, {.bias = false});
  fill(layer.weight.value(), 1);
  ParameterArena arena(layer);
  AdamW optimiser(arena, {.weight_decay = 0});
  Context ctx;
  ctx.bf16 = true;
  const Tensor x = ones({1, 4});
  for (int step = 0; step < 50; step++) {  // the first steps of AdamW are -rate
    arena.zero_gradients();
    sum(layer.forward(x, ctx)).backward();
    optimiser.step(1e-4);
    if (step == 0) check_close(layer.forward(x, ctx).value(), full({1, 4}, 4), 0);  // not seen yet
  }
  check_close(layer.weight.value(), full({4, 4}, 1 - 50e-4), 1e-5);
  check_close(layer.forward(x, ctx).value(), full({1, 4}, 4 * by_hand(1 - 50e-4f)), 0);
}

BOOST_AUTO_TEST_CASE(training_in_bf16_reaches_nearly_the_loss_of_f32_and_recomputed_blocks_replay_it) {
  const double exact = trained_loss(false, false), coarse = trained_loss(true, false);
  BOOST_TEST(exact < 1.0);  // ln 13 = 2.56 at first
  BOOST_TEST(coarse != exact);
  BOOST_TEST(std::abs(coarse - exact) < 0.05 * exact);
  BOOST_TEST(trained_loss(true, true) == coarse);
}

BOOST_AUTO_TEST_SUITE_END()
