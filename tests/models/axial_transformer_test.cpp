// The Axial Transformer: what a pixel depends on, its first loss, drawing row by row with states, its gradients, and
// what is refused.
#include "models/axial_transformer.h"

#include <cmath>

#include "autograd/ops/cross_entropy.h"
#include "models/igpt.h"
#include "models/objectives/next_pixel.h"
#include "models/sampler.h"
#include "tensor/create.h"
#include "tensor/ops/reduce.h"
#include "tensor/profile.h"
#include "tensor/views.h"
#include "tests/models/small_model.h"
#include "tests/support/compare.h"
#include "tests/support/error_of.h"

using namespace heed;

BOOST_AUTO_TEST_SUITE(axial_transformer_test)

namespace {

constexpr long kColours = 11, kRows = 4, kColumns = 5, kPixels = kRows * kColumns;

AxialTransformerOptions tiny(const std::string& ordering = "sfsf", long classes = 0) {
  return {.colours = kColours,
          .rows = kRows,
          .columns = kColumns,
          .classes = classes,
          .stack = {.C = 16, .heads = 2, .ordering = ordering}};
}

// All weights from N(0, 0.3): at first logits are 0, and a model that looks ahead would not be noticed.
void redraw(Module& model) {
  uint32_t seed = 1;
  for (Parameter* p : model.parameters())
    p->value.set_value(cast(randn(p->value.shape(), seed++) * 0.3, p->value.dtype()));
}

Tensor recomputed(PictureModel& model, const Tensor& pixels, const Tensor& labels = {}) {
  const NoGrad no_grad;
  Context ctx;
  return model.forward(pixels, {.labels = labels}, ctx).value();
}

Tensor logits_at(const Tensor& logits, long place) { return contiguous(select(logits, 1, place)); }

// Reads pixels in parts of these sizes, the last one again and again, and compares the logits behind every part with
// those of the whole.
void check_parts(AxialTransformer& model, const std::vector<long>& sizes, const Tensor& labels = {}) {
  const NoGrad no_grad;
  Context ctx;
  const Tensor pixels = some_ids(2, kPixels), whole = recomputed(model, pixels, labels);
  StackState state = model.start(2, kPixels);
  size_t next = 0;
  for (long begin = 0, end; begin < kPixels; begin = end) {
    end = begin + sizes[std::min(next++, sizes.size() - 1)];
    if (end >= kPixels) break;
    const Tensor logits = model.next_logits(slice(pixels, 1, begin, end), labels, ctx, state);
    BOOST_TEST_CONTEXT("pixels " << begin << " to " << end) check_close(logits, logits_at(whole, end), kRounding);
    BOOST_TEST(state.length() == end + 1);
  }
}

}  // namespace

BOOST_AUTO_TEST_CASE(the_first_loss_is_the_logarithm_of_the_colours) {
  for (const long colours : {2, 16, 512}) {
    AxialTransformerOptions o = tiny();
    o.colours = colours;
    AxialTransformer model(o);
    NextPixel objective(model);
    Context ctx;
    const Batch batch{.inputs = some_ids(3, kPixels, std::min(colours, 11L)), .counted = 3 * kPixels};
    const double loss = objective.summed_loss(batch, {}, ctx).item() / double(batch.counted);
    BOOST_TEST(std::abs(loss - std::log(double(colours))) < 1e-5);
  }
}

BOOST_AUTO_TEST_CASE(a_pixel_depends_on_all_before_it_and_on_no_other) {
  for (const char* ordering : {"sf", "sfsf", "ssff"}) {
    AxialTransformer model(tiny(ordering));
    redraw(model);
    const Tensor pixels = some_ids(1, kPixels), before = recomputed(model, pixels);
    for (long changed = 0; changed < kPixels; changed++) {
      const Tensor other = clone(pixels);
      fill(slice(other, 1, changed, changed + 1), double((int64_t(pixels.at({0, changed})) + 1) % kColours));
      const Tensor after = recomputed(model, other);
      for (long place = 0; place < kPixels; place++)
        BOOST_TEST(same_bits(logits_at(before, place), logits_at(after, place)) == (place <= changed),
                   ordering << ": pixel " << changed << " and the logits of " << place);
    }
  }
}

BOOST_AUTO_TEST_CASE(the_outer_decoder_has_as_many_rows_as_columns) {
  const auto layers = [](const char* ordering, const std::string& part) {
    AxialTransformer model(tiny(ordering));
    long count = 0;
    for (Parameter* p : model.parameters())
      count += p->path.starts_with(part) && p->path.ends_with(".in.weight") && p->value.size(0) == 3 * 16 ? 1 : 0;
    return count;
  };
  for (auto [ordering, inner, outer] : {std::tuple{"sf", 1L, 2L}, {"sfsf", 2L, 2L}, {"sfsfsf", 3L, 4L}}) {
    BOOST_TEST(layers(ordering, "inner.") == inner);
    BOOST_TEST(layers(ordering, "outer.") == outer);
  }
}

BOOST_AUTO_TEST_CASE(drawing_with_states_equals_recomputing) {
  for (const char* ordering : {"sfsf", "ssff", "sf"}) {
    AxialTransformer model(tiny(ordering));
    shake(model);
    for (const std::vector<long>& sizes : {std::vector<long>{0, 1}, {5, 1}, {7, 2}, {13, 6}, {4, 5}, {19}, {1, 3}})
      check_parts(model, sizes);
  }
}

BOOST_AUTO_TEST_CASE(a_class_changes_every_pixel) {
  AxialTransformer model(tiny("sfsf", 3));
  shake(model);
  check_parts(model, {0, 1}, tensor({2, 0}, i64));
  check_parts(model, {6, 4}, tensor({1, 2}, i64));
  const Tensor pixels = some_ids(1, kPixels);
  const Tensor zero = recomputed(model, pixels, tensor({0}, i64)), one = recomputed(model, pixels, tensor({1}, i64));
  for (long place = 0; place < kPixels; place++) BOOST_TEST(!same_bits(logits_at(zero, place), logits_at(one, place)));
}

BOOST_AUTO_TEST_CASE(a_state_that_was_saved_in_a_row_comes_back) {
  const NoGrad no_grad;
  AxialTransformer model(tiny());
  shake(model);
  const Tensor pixels = some_ids(2, kPixels);
  Context ctx;
  StackState state = model.start(2, kPixels);
  const auto read = [&](long begin, long end) { return model.next_logits(slice(pixels, 1, begin, end), ctx, state); };
  read(0, 8);
  const StackState::Saved saved = state.saved();
  const Tensor want = read(8, 13);
  state.restore(saved);
  BOOST_TEST(same_bits(read(8, 13), want));
  state.reset();
  read(0, 8);
  BOOST_TEST(same_bits(read(8, 13), want));
}

BOOST_AUTO_TEST_CASE(rows_of_a_sampler_do_not_depend_on_each_other) {
  AxialTransformer model(tiny());
  shake(model);
  const std::vector<Ids> three = sampled(model, {{}, {}, {}}, {.length = kPixels});
  BOOST_TEST((sampled(model, {{}}, {.length = kPixels, .first_row = 2})[0] == three[2]));
  BOOST_TEST((three[0] != three[1]));
  const Ids begun(three[1].begin(), three[1].begin() + 8);
  BOOST_TEST(sampled(model, {begun, {}}, {.length = kPixels - 8})[0].size() == size_t(kPixels - 8));
}

// Attention of a picture that is drawn pixel by pixel, in tiles of 64 keys: four times the pixels are at most eight
// times the pairs. One stack over all pixels needs sixteen times as many, or nearly.
BOOST_AUTO_TEST_CASE(drawing_a_picture_takes_n_sqrt_n_pairs) {
  const auto pairs = [](PictureModel& model) {
    Profile profile;
    sampled(model, {{}}, {.length = model.context()});
    profile.stop();
    double flops = 0;
    for (const ProfileRow& row : profile.rows())
      if (row.op.find("attention") != std::string::npos) flops += row.flops;
    return flops;
  };
  const StackOptions stack{.C = 4, .heads = 1};
  const auto axial = [&](long side) {
    AxialTransformer model({.colours = 3, .rows = side, .columns = side, .stack = stack});
    return pairs(model);
  };
  const auto full = [&](long side) {
    Igpt model({.colours = 3, .rows = side, .columns = side, .stack = stack});
    return pairs(model);
  };
  BOOST_TEST(axial(32) > 0);
  BOOST_TEST(axial(32) < 8.8 * axial(16));
  BOOST_TEST(full(32) > 8.8 * full(16));
}

// Along a random direction of every parameter: the gradient, and a central difference.
BOOST_AUTO_TEST_CASE(gradients_are_slopes) {
  constexpr double kStep = 1e-5, kTolerance = 1e-7;
  AxialTransformer model({.colours = 5, .rows = 3, .columns = 4, .classes = 2, .stack = {.C = 6, .heads = 2}});
  model.cast_parameters(f64);
  redraw(model);
  const Tensor pixels = some_ids(2, 12, 5), labels = tensor({1, 0}, i64);
  const auto loss = [&] {
    Context ctx;
    return cross_entropy(model.forward(pixels, {.labels = labels}, ctx), pixels);
  };
  model.zero_grad();
  loss().backward();
  for (Parameter* p : model.parameters()) {
    const Tensor before = p->value.value(), way = noise(before.shape(), 6);
    BOOST_REQUIRE_MESSAGE(p->value.grad().defined(), p->path);
    const double got = sum(p->value.grad() * way).item();
    const NoGrad no_grad;
    p->value.set_value(before + way * kStep);
    const double up = loss().item();
    p->value.set_value(before - way * kStep);
    const double want = (up - loss().item()) / (2 * kStep);
    p->value.set_value(before);
    BOOST_TEST(std::abs(got - want) <= kTolerance * (1 + std::abs(want)), p->path << ": " << got << " and " << want);
    BOOST_TEST(got != 0, p->path);
  }
}

BOOST_AUTO_TEST_CASE(a_picture_of_one_row_or_one_column_is_one_too) {
  for (auto [rows, columns] : {std::pair{1L, 6L}, {6L, 1L}}) {
    AxialTransformer model({.colours = 3, .rows = rows, .columns = columns, .stack = {.C = 8, .heads = 2}});
    shake(model);
    const NoGrad no_grad;
    Context ctx;
    const Tensor pixels = some_ids(2, 6, 3), whole = recomputed(model, pixels);
    StackState state = model.start(2, 6);
    for (long t = 0; t < 6; t++)
      check_close(model.next_logits(slice(pixels, 1, std::max(0L, t - 1), t), ctx, state), logits_at(whole, t),
                  kRounding);
  }
}

BOOST_AUTO_TEST_CASE(what_cannot_be_is_refused) {
  const auto error = [](auto change) {
    AxialTransformerOptions o = tiny();
    change(o);
    return error_of([&] { AxialTransformer model(o); });
  };
  BOOST_TEST(error([](auto& o) { o.rows = o.columns = 1; }) ==
             "axial model: there are 11 colours, 1 x 1 pixels and 0 classes; a colour and two pixels are the least");
  BOOST_TEST(error([](auto& o) { o.stack.rotary = true; }) ==
             "axial model: rotary positions were asked for; this model knows where a pixel is by a vector for its row "
             "and one for its column");
  BOOST_TEST(error([](auto& o) { o.stack.ordering = "ff"; }).find("has nothing that mixes tokens") !=
             std::string::npos);
  AxialTransformer model(tiny("sfsf", 2));
  Context ctx;
  const Tensor pixels = some_ids(2, kPixels);
  BOOST_TEST(
      error_of([&] { model.forward(pixels, {}, ctx); }) ==
      "axial model: this model is told the class of each picture, 0 to 1; labels must be (2,) and are not given");
  BOOST_TEST(
      error_of([&] { model.forward(pixels, {.hidden = window_mask(3, 0)}, ctx); }) ==
      "axial model: a mask was given (a phase of the schedule with a window?); its attentions see whole rows and "
      "columns. Leave it away");
  BOOST_TEST(error_of([&] { model.filled(pixels, pixels, {}, ctx); }) ==
             "igpt: this kind of picture model draws pixel by pixel and fills in none that are hidden; use the model "
             "igpt");
  BOOST_TEST(error_of([&] { model.features(pixels, ctx); }) ==
             "igpt: this kind of picture model has no features to probe; probe one of the model igpt");
}

BOOST_AUTO_TEST_CASE(a_state_refuses_what_does_not_fit_and_is_as_before) {
  AxialTransformer model(tiny()), twin(tiny());
  const NoGrad no_grad;
  Context ctx;
  StackState state = model.start(2, kPixels), other = twin.start(2, kPixels);
  const Tensor pixels = some_ids(2, kPixels);
  BOOST_TEST(error_of([&] { model.next_logits(pixels, ctx, other); }) ==
             "state: it was started by another mixer; each has its own");
  model.next_logits(slice(pixels, 1, 0, 7), ctx, state);
  BOOST_TEST(error_of([&] { model.next_logits(slice(pixels, 1, 0, 0), ctx, state); }) ==
             "axial model: there is no pixel to go on from; only the first call may have none");
  BOOST_TEST(error_of([&] { model.next_logits(slice(pixels, 1, 0, 13), ctx, state); }) ==
             "state: 13 tokens were given after 8; it holds at most 20. Start a longer one: start(batch, max_length)");
  BOOST_TEST(state.length() == 8);
  BOOST_CHECK_NO_THROW(model.next_logits(slice(pixels, 1, 7, 19), ctx, state));
}

BOOST_AUTO_TEST_SUITE_END()
