// A picture model: its first loss, what it may see, decoding with a state, orders and positions, and what is refused.
#include "models/igpt.h"

#include <cmath>

#include "autograd/ops/reduce.h"
#include "models/objectives/masked_pixels.h"
#include "models/objectives/next_pixel.h"
#include "models/sampler.h"
#include "tensor/create.h"
#include "tensor/ops/compare.h"
#include "tensor/ops/cross_entropy.h"
#include "tensor/ops/reduce.h"
#include "tensor/ops/softmax.h"
#include "tensor/ops/where.h"
#include "tensor/views.h"
#include "tests/models/small_model.h"
#include "tests/support/compare.h"
#include "tests/support/error_of.h"

using namespace heed;

BOOST_AUTO_TEST_SUITE(igpt_test)

namespace {

constexpr long kColours = 11, kRows = 4, kColumns = 5, kPixels = kRows * kColumns;

IgptOptions tiny(const std::string& order = "raster", const std::string& positions = "learned") {
  return {.colours = kColours,
          .rows = kRows,
          .columns = kColumns,
          .order = order,
          .positions = positions,
          .stack = {.C = 16, .heads = 2, .ordering = "sfsf"}};
}

Batch batch_of(const Tensor& pixels) { return {.inputs = pixels, .counted = pixels.numel()}; }

// (B, n) in the model's order -> the logits of every place, by reading the whole again and again
Tensor recomputed(Igpt& model, const Tensor& pixels, const Tensor& labels = {}) {
  const NoGrad no_grad;
  Context ctx;
  return model.forward(pixels, {.labels = labels}, ctx).value();
}

// The same place by place, with a state.
std::vector<Tensor> decoded(Igpt& model, const Tensor& pixels, const Tensor& labels = {}) {
  const NoGrad no_grad;
  Context ctx;
  StackState state = model.start(pixels.size(0), model.context());
  const Tensor ids = model.order().ordered(pixels);
  std::vector<Tensor> logits;
  for (long t = 0; t < model.context(); t++)
    logits.push_back(model.next_logits(slice(ids, 1, std::max(t - 1, 0L), t), labels, ctx, state));
  return logits;
}

}  // namespace

BOOST_AUTO_TEST_CASE(the_first_loss_is_the_logarithm_of_the_colours) {
  for (const long colours : {2, 16, 512}) {
    IgptOptions o = tiny();
    o.colours = colours;
    Igpt model(o);
    NextPixel objective(model);
    Context ctx;
    const Batch batch = batch_of(some_ids(3, kPixels, std::min(colours, 11L)));
    const double loss = objective.summed_loss(batch, {}, ctx).item() / double(batch.counted);
    BOOST_TEST(std::abs(loss - std::log(double(colours))) < 1e-5);
  }
}

BOOST_AUTO_TEST_CASE(no_place_sees_itself_or_what_comes_behind) {
  for (const char* order : {"raster", "blocks:2x2"}) {
    Igpt model(tiny(order));
    shake(model);
    const Tensor pixels = some_ids(1, kPixels);
    const Tensor before = recomputed(model, pixels);
    for (long place = 0; place < kPixels; place++) {
      const Tensor other = clone(pixels);
      const long pixel = model.order().pixels()[size_t(place)];
      fill(slice(other, 1, pixel, pixel + 1), double((pixels.at({0, pixel}) + 1)));
      if (other.at({0, pixel}) >= kColours) continue;
      const Tensor after = recomputed(model, other);
      BOOST_TEST(same_bits(contiguous(slice(before, 1, 0, place + 1)), contiguous(slice(after, 1, 0, place + 1))));
      if (place + 1 < kPixels)
        BOOST_TEST(!same_bits(contiguous(slice(before, 1, place + 1, kPixels)),
                              contiguous(slice(after, 1, place + 1, kPixels))));
    }
  }
}

BOOST_AUTO_TEST_CASE(decoding_equals_recomputing) {
  for (const std::string order : {"raster", "blocks:2x3"})
    for (const std::string& positions : pixel_position_names())
      for (const std::string attention : {"full", "window:left=3", "linear", "bigbird:block=3,random=1,causal=yes",
                                          "image-local:query=2x3,flange=1x1"}) {
        if (attention == "linear" && positions == "rotary") continue;
        if (attention.starts_with("image-local") && order == "raster") continue;
        IgptOptions o = tiny(order, positions);
        o.stack.attention = attention;
        Igpt model(o);
        shake(model);
        const Tensor pixels = some_ids(2, kPixels), whole = recomputed(model, pixels);
        const std::vector<Tensor> steps = decoded(model, pixels);
        for (long t = 0; t < kPixels; t++) check_close(steps[size_t(t)], contiguous(select(whole, 1, t)), kRounding);
      }
}

BOOST_AUTO_TEST_CASE(axial_attention_takes_its_grid_from_the_model) {
  IgptOptions o = tiny();
  const Tensor pixels = some_ids(2, kPixels);
  const auto logits = [&](const std::string& attention) {
    o.stack.attention = attention;
    Igpt model(o);
    shake(model);
    const Tensor whole = recomputed(model, pixels);
    const std::vector<Tensor> steps = decoded(model, pixels);
    for (long t = 0; t < kPixels; t++) check_close(steps[size_t(t)], contiguous(select(whole, 1, t)), kRounding);
    return whole;
  };
  BOOST_TEST(same_bits(logits("axial"), logits("axial:axis=rows,grid=4x5;axial:axis=columns,grid=4x5")));
  logits("axial:axis=merged");
  o.order = "blocks:2x2";
  BOOST_TEST(error_of([&] { Igpt model(o); }).starts_with("axial: the model reads its image in blocks of 2x2; "));
}

// Three standard deviations above the mean of a chi-square variable.
BOOST_AUTO_TEST_CASE(pixels_are_drawn_as_often_as_they_are_likely) {
  Igpt model(tiny());
  shake(model);
  const NoGrad no_grad;
  Context ctx;
  StackState state = model.start(1, kPixels);
  const Tensor p = softmax(model.next_logits(zeros({1, 0}, i64), ctx, state) * 2.0);
  constexpr long kRowsAtOnce = 1000, kCalls = 30;
  std::vector<double> counts(kColours);
  for (long call = 0; call < kCalls; call++)
    for (const Ids& row : sampled(model, std::vector<Ids>(kRowsAtOnce),
                                  {.length = 1, .temperature = 0.5, .first_row = call * kRowsAtOnce}))
      counts[size_t(row[0])]++;
  double chi_square = 0;
  for (long k = 0; k < kColours; k++) {
    const double expected = p.at({0, k}) * kCalls * kRowsAtOnce;
    BOOST_TEST(expected > 5);
    chi_square += (counts[size_t(k)] - expected) * (counts[size_t(k)] - expected) / expected;
  }
  const double freedom = kColours - 1;
  BOOST_TEST(chi_square < freedom + 3 * std::sqrt(2 * freedom));
}

BOOST_AUTO_TEST_CASE(a_whole_picture_is_drawn_from_nothing_or_from_its_beginning) {
  Igpt model(tiny("blocks:2x2"));
  shake(model);
  const std::vector<Ids> whole = sampled(model, {{}, {}}, {.length = kPixels});
  BOOST_TEST(whole[0].size() == size_t(kPixels));
  BOOST_TEST((whole[0] != whole[1]));
  const Ids half(whole[0].begin(), whole[0].begin() + 10);
  const std::vector<Ids> rest = sampled(model, {half}, {.length = kPixels - 10, .temperature = 0});
  BOOST_TEST(rest[0].size() == size_t(kPixels - 10));
  BOOST_TEST((sampled(model, {half}, {.length = kPixels - 10, .top_k = 1}) == rest));
}

BOOST_AUTO_TEST_CASE(a_model_with_classes_is_told_them) {
  IgptOptions o = tiny();
  o.classes = 3;
  Igpt model(o);
  shake(model);
  const Tensor pixels = some_ids(2, kPixels), labels = from_vector(std::vector<int64_t>{2, 0}, {2});
  const Tensor whole = recomputed(model, pixels, labels);
  const std::vector<Tensor> steps = decoded(model, pixels, labels);
  for (long t = 0; t < kPixels; t++) check_close(steps[size_t(t)], contiguous(select(whole, 1, t)), kRounding);
  BOOST_TEST(!same_bits(whole, recomputed(model, pixels, zeros({2}, i64))));
  LabelledPictures told(model, labels);
  const std::vector<Ids> rows = sampled(told, {{}, {}}, {.length = kPixels, .temperature = 0});
  BOOST_TEST((rows[0] != rows[1]));
  BOOST_TEST(error_of([&] { recomputed(model, pixels); }) ==
             "igpt: this model is told the class of each picture, 0 to 2; labels must be (2,) and are not given");
  Context ctx;
  BOOST_TEST(
      error_of([&] { model.features(pixels, ctx); }) ==
      "igpt: this model is told the class of a picture, so that its features give it away; probe one that is not");
}

BOOST_AUTO_TEST_CASE(a_masked_model_predicts_hidden_pixels_from_all_others) {
  IgptOptions o = tiny("blocks:2x2");
  o.masked = true;
  Igpt model(o);
  const Tensor pixels = some_ids(2, kPixels), other = some_ids(2, kPixels, 5);
  const Tensor hidden = less(uniform({2, kPixels}, {.seed = 3}), 0.3);
  MaskedPixels objective(model);
  Context ctx;
  std::vector<int64_t> targets = pixels.to_vector<int64_t>();
  const std::vector<bool> hides = [&] {
    std::vector<bool> all;
    for (const float x : cast(hidden, f32).to_vector<float>()) all.push_back(x != 0);
    return all;
  }();
  long counted = 0;
  for (size_t i = 0; i < targets.size(); i++) hides[i] ? counted++ : targets[i] = kNoTarget;
  const Batch batch{.inputs = pixels, .targets = from_vector(targets, {2, kPixels}), .counted = counted};
  BOOST_TEST(std::abs(objective.summed_loss(batch, {}, ctx).item() - double(counted) * std::log(11.0)) < 1e-3);
  shake(model);
  const NoGrad no_grad;
  const Tensor logits = model.filled(pixels, hidden, {}, ctx).value();
  // what is hidden does not count, and every pixel that is not does, also those behind
  const Tensor same = cast(where(hidden, other, pixels), i64);
  BOOST_TEST(same_bits(model.filled(same, hidden, {}, ctx).value(), logits));
  const Tensor changed = clone(pixels);
  const long seen = std::find(hides.begin(), hides.end(), false) - hides.begin();
  fill(slice(changed, 1, seen, seen + 1), double((pixels.at({0, seen}) == 0)));
  const Tensor after = model.filled(changed, hidden, {}, ctx).value();
  for (const long place : {0L, kPixels - 1})
    BOOST_TEST(!same_bits(contiguous(slice(slice(after, 0, 0, 1), 1, place, place + 1)),
                          contiguous(slice(slice(logits, 0, 0, 1), 1, place, place + 1))));
  BOOST_TEST(error_of([&] { sampled(model, {{}}, {.length = 1}); }) ==
             "igpt: this model fills in hidden pixels (masked) and predicts none from those before it: it cannot draw. "
             "Train one without");
}

BOOST_AUTO_TEST_CASE(features_are_one_vector_per_layer) {
  Igpt model(tiny());
  shake(model);
  Context ctx;
  const std::vector<Tensor> layers = model.features(some_ids(3, kPixels), ctx);
  BOOST_REQUIRE(layers.size() == 3u);
  for (const Tensor& layer : layers) BOOST_TEST(layer.shape() == (Shape{3, 16}));
  BOOST_TEST(!same_bits(layers[0], layers[2]));
}

BOOST_AUTO_TEST_CASE(features_are_of_the_first_norm_of_every_block) {
  const std::vector<std::pair<std::string, std::vector<size_t>>> begins = {
      {"sfsf", {0, 2}}, {"ssff", {0, 1, 3}}, {"sffsf", {0, 2, 3}}};
  for (const auto& [ordering, blocks] : begins) {
    IgptOptions o = tiny();
    o.stack.ordering = ordering;
    Igpt model(o);
    shake(model);
    Context ctx;
    const Tensor pixels = some_ids(3, kPixels);
    std::vector<Tensor> inputs;
    model.forward(pixels, {.inputs = &inputs}, ctx);
    const std::vector<Tensor> layers = model.features(pixels, ctx);
    BOOST_REQUIRE(layers.size() == blocks.size() + 1);
    for (size_t i = 0; i < blocks.size(); i++) BOOST_TEST(same_bits(layers[i], mean(inputs[blocks[i]], {1})));
  }
}

BOOST_AUTO_TEST_CASE(every_attention_that_can_decode_draws) {
  for (const Variant* variant : variants())
    for (const std::string& spec : shown_specs(*variant)) {
      IgptOptions o = tiny("raster", "axial");
      o.stack.attention = spec;
      if (spec.find("grid=512x64") != std::string::npos) {  // of another picture
        BOOST_TEST(error_of([&] { Igpt model(o); }).find("the model's pictures are 4x5") != std::string::npos, spec);
        continue;
      }
      const Capabilities can =
          make_mixer(spec, {.C = 16, .heads = 2, .max_length = kPixels, .grid = {kRows, kColumns}})->can();
      if (!can.causal) {
        BOOST_TEST(error_of([&] { Igpt model(o); }).find("which cannot be causal") != std::string::npos, spec);
        continue;
      }
      Igpt model(o);
      if (can.decode) BOOST_TEST(sampled(model, {{}}, {.length = kPixels})[0].size() == size_t(kPixels), spec);
    }
}

BOOST_AUTO_TEST_CASE(what_cannot_be_is_refused) {
  const auto error = [](auto change) {
    IgptOptions o = tiny();
    change(o);
    return error_of([&] { Igpt model(o); });
  };
  BOOST_TEST(
      error([](auto& o) { o.positions = "lerned"; }) ==
      "igpt: there is no kind of positions 'lerned'; there are learned, axial, rotary, none. Did you mean learned?");
  BOOST_TEST(error([](auto& o) { o.masked = true, o.classes = 2; }) ==
             "igpt: a model of hidden pixels (masked) has no start to put the class into; leave one of the two away");
  BOOST_TEST(error([](auto& o) {
               o.stack.attention = "image-local:query=2x3", o.order = "blocks:3x2";
             }).find("the model reads its pixels in blocks:3x2") != std::string::npos);
  BOOST_TEST(error([](auto& o) { o.colours = 0; }) ==
             "igpt: there are 0 colours, 4 x 5 pixels and 0 classes; a colour and two pixels are the least");
}

BOOST_AUTO_TEST_SUITE_END()
