#include "tasks/language/conversion.h"

#include <cmath>

#include "tensor/copy.h"
#include "tensor/create.h"
#include "tensor/ops/elementwise.h"
#include "tensor/ops/reduce.h"
#include "tensor/views.h"
#include "tests/support/compare.h"
#include "tests/support/error_of.h"
#include "tests/support/tiny_lm.h"
#include "train/model_tensors.h"
#include "train/warm_start.h"

using namespace heed;

namespace {

LmSettings short_model() {
  LmSettings s = tiny_lm();
  s.layers = 2, s.positions = "learned", s.batch = 8;
  return s;
}

std::unique_ptr<Gpt> model_of(const LmSettings& s, uint32_t seed) {
  auto model = std::make_unique<Gpt>(model_options(s));
  model->initialise(seed);
  return model;
}

std::unique_ptr<Gpt> converted_model(Gpt& old, const LmSettings& now) {
  auto model = model_of(now, 2);
  warm_start(*model, model_tensors(old), "the old one");
  return model;
}

Tensor logits(Gpt& model, const Tensor& ids) {
  const NoGrad no_grad;
  Context ctx;
  return model.forward(ids, ctx).value();
}

Tensor some_ids(long T) {
  std::vector<int64_t> ids;
  for (long i = 0; i < 2 * T; i++) ids.push_back((i * 37 + i * i) % 256);
  return from_vector(ids, {2, T});
}

}  // namespace

BOOST_AUTO_TEST_SUITE(conversion_test)

BOOST_AUTO_TEST_CASE(a_converted_model_reads_texts_of_the_old_length_as_before) {
  const LmSettings before = short_model(), now = converted(before, 50, "old");
  BOOST_TEST(now.attention == "longformer:window=15");
  const auto old = model_of(before, 1), fresh = converted_model(*old, now);
  for (long T : {1, 7, 16}) BOOST_TEST(same_bits(logits(*fresh, some_ids(T)), logits(*old, some_ids(T))), "T " << T);
  BOOST_TEST(logits(*fresh, some_ids(50)).shape() == (Shape{2, 50, 256}));
}

BOOST_AUTO_TEST_CASE(global_tokens_of_a_converted_model_read_as_the_others_did) {
  constexpr double kRounding = 1e-5;  // f32: the same sums, computed apart
  LmSettings now = converted(short_model(), 50, "old");
  now.attention = "longformer:window=40,globals=2,causal_global=yes";
  const auto old = model_of(short_model(), 1), fresh = converted_model(*old, now);
  check_close(logits(*fresh, some_ids(16)), logits(*old, some_ids(16)), kRounding);
  now.attention = "longformer:window=2";  // a shorter window sees less
  BOOST_TEST(max(abs(logits(*converted_model(*old, now), some_ids(16)) - logits(*old, some_ids(16)))).item() >
             kRounding);
}

BOOST_AUTO_TEST_CASE(positions_repeat_with_the_old_context_as_their_period) {
  const auto old = model_of(short_model(), 1), fresh = converted_model(*old, converted(short_model(), 50, "old"));
  const Tensor before = by_name(model_tensors(*old)).at("input.positions.weight"),
               now = by_name(model_tensors(*fresh)).at("input.positions.weight");
  BOOST_TEST_REQUIRE(now.size(0) == 50);
  for (long row = 0; row < 50; row++)
    BOOST_TEST(same_bits(clone(select(now, 0, row)), clone(select(before, 0, row % 16))));
}

BOOST_AUTO_TEST_CASE(settings_are_those_of_the_old_model_with_as_many_bytes_in_a_step) {
  LmSettings before = short_model();
  before.micro_batch = 4, before.rate = 1e-2;
  const LmSettings now = converted(before, 64, "old");
  BOOST_TEST(now.batch == 2);
  BOOST_TEST(now.micro_batch == 2);
  BOOST_TEST(std::abs(now.rate - 1e-3) < 1e-15);
  BOOST_TEST(now.width == before.width);
  check_settings(now);
  before.attention = "window:left=4";
  BOOST_TEST(converted(before, 1000, "old").attention == "window:left=4");  // it is no square already
  BOOST_TEST(converted(before, 1000, "old").batch == 1);
}

BOOST_AUTO_TEST_CASE(models_without_learned_positions_and_shorter_contexts_are_refused) {
  LmSettings before = short_model();
  BOOST_TEST(error_of([&] { converted(before, 16, "runs/old"); }) ==
             "convert: runs/old reads 16 bytes at once, and the new context is 16; a conversion is for longer texts");
  before.positions = "rotary";
  BOOST_TEST(error_of([&] { converted(before, 64, "runs/old", ". Go on as it is"); }) ==
             "convert: runs/old has rotary positions, and only learned ones end at the context (16): it needs no "
             "conversion. Go on as it is");
}

BOOST_AUTO_TEST_CASE(the_loss_is_told_before_and_after) {
  const std::string text = tiny_text();
  const LmSettings before = short_model(), now = converted(before, 64, "old");
  LoadedModel old{.settings = before, .vocabulary = byte_vocabulary(), .model = model_of(before, 1)};
  const ConversionLoss loss = conversion_loss(old, now, split_of({text}));
  BOOST_TEST(loss.before == loss.same_context);
  BOOST_TEST(loss.after != loss.before);
  BOOST_TEST(std::isfinite(loss.after));
  const std::string told = ConversionLoss{2.5, 2.5, 2.75, 16, 64}.text();
  BOOST_TEST(told ==
             "conversion: 2.5000 bits per byte of the validation before, with windows of 16; after it 2.5000 with the "
             "same windows, and 2.7500 with windows of 64");
}

BOOST_AUTO_TEST_SUITE_END()
