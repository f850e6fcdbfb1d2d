// Rotary positions in every variant that takes them: queries and keys are rotated by where they stand.
#include <cmath>

#include "models/gpt.h"
#include "nn/rotary.h"
#include "tasks/language/lm_settings.h"
#include "tensor/allocator.h"
#include "tensor/copy.h"
#include "tensor/create.h"
#include "tensor/views.h"
#include "tests/oracle/suite.h"
#include "tests/support/compare.h"
#include "tests/support/error_of.h"

using namespace heed;

namespace {

constexpr double kRounding = 1e-5;  // f32: the same sums in another order
const MixerOptions kSizes{.C = 10, .heads = 4, .key_heads = 2, .head_width = 6, .value_width = 5, .rotary = true};

Tensor tokens(const Tensor& x, long begin, long end) { return contiguous(slice(x, 1, begin, end)); }

std::string does_not_rotate_and_decode(const Trial& trial) {
  return !trial.can.rotary ? "it takes no rotary positions" : !trial.can.decode ? "it has no State" : "";
}
Trial rotated(Trial trial) {
  const Grid grid = trial.sizes.grid;
  trial.sizes = kSizes, trial.sizes.grid = grid;
  return trial;
}

const RegisteredProperty values{
    {.name = "rotary_positions_rotate_queries_and_keys_or_are_refused",
     .check = [](const Trial& plain, Findings& found) {
       const Trial trial = rotated(plain);
       if (!plain.can.rotary) {
         found.refuses(
             "rotary", [&] { trial.mixer(); }, "rotary positions were asked for");
         return;
       }
       const auto mixer = trial.mixer();
       const Mask causal = causal_if(plain.can.causal);
       for (const Mask& mask : {Mask(), causal, causal & length_mask(tensor({40, 17}, i64))}) {
         const Tensor x = trial.x(2, 40);
         Context ctx;
         const OracleCase c = trial.oracle_case(*mixer, mask, f64);
         const Results got = results(*mixer, x, mask, ctx), want = results_of(trial, c, x);
         found.close("y", got.y, want.y, kExact);
         found.close("dx", got.dx, want.dx, kExact);
         found.close("weights", mixer->weights(x, {.mask = mask}, ctx),
                     dense_attention(*trial.oracle, c, x).weights.value(), kExact);
       }
     }}};

const RegisteredProperty chunks{
    {.name = "rotated_tokens_in_chunks_equal_the_whole",
     .does_not_apply = does_not_rotate_and_decode,
     .check = [](const Trial& plain, Findings& found) {
       const NoGrad no_grad;
       Context ctx;
       const auto mixer = rotated(plain).mixer(f32);
       const Tensor x = rotated(plain).x(2, 300, f32);  // beyond what the table makes ahead
       const Tensor whole = run(*mixer, x, {.mask = causal_mask()}, ctx).value();
       const auto state = mixer->start(2, 300);
       for (long at = 0, end; at < 300; at = end) {
         end = std::min(300L, at + (at < 10 ? 1 : at < 100 ? 45 : 64));
         const Tensor y = run(*mixer, tokens(x, at, end), {.mask = causal_mask(), .state = state.get()}, ctx).value();
         found.close("tokens", y, tokens(whole, at, end), kRounding);
       }
     }}};

}  // namespace

BOOST_AUTO_TEST_SUITE(rotary_attention_test)

BOOST_AUTO_TEST_CASE(outputs_depend_on_distances_and_not_on_positions) {
  for (const char* spec : {"window:left=5", "window:left=5,bias=alibi", "window:left=5,bias=t5"}) {
    const auto mixer = mixer_of(spec, f64, kSizes);
    Context ctx;
    const Tensor x = noise({1, 30, 10});
    const Tensor early = mixer->forward(tokens(x, 10, 30), {.mask = causal_mask()}, ctx).value();
    const Tensor late = mixer->forward(x, {.mask = causal_mask()}, ctx).value();
    check_close(tokens(early, 5, 20), tokens(late, 15, 30), 1e-11);  // those that see all of their window in both
  }
}

BOOST_AUTO_TEST_CASE(a_sequence_may_be_empty) {
  const auto mixer = mixer_of("full", f64, kSizes);
  Context ctx;
  BOOST_TEST(mixer->forward(noise({2, 0, 10}), {.mask = causal_mask()}, ctx).shape() == Shape({2, 0, 10}));
}

BOOST_AUTO_TEST_CASE(in_cross_attention_nothing_is_rotated) {
  MixerOptions plain = kSizes;
  plain.rotary = false;
  const auto mixer = mixer_of("full", f64, kSizes), other = mixer_of("full", f64, plain);
  Context ctx;
  const Variable source(noise({2, 7, 10}, 2));
  const Tensor x = noise({2, 5, 10});
  BOOST_TEST(same_bits(mixer->forward(x, {.source = &source}, ctx).value(),
                       other->forward(x, {.source = &source}, ctx).value()));
}

BOOST_AUTO_TEST_CASE(the_table_gives_the_angles_of_any_positions) {
  RotaryTable table(6);
  for (const DType dtype : {f32, f64})
    for (const auto& [T, offset] :
         {std::pair{0L, 0L}, {1L, 0L}, {1L, 255L}, {1L, 256L}, {700L, 100L}, {3L, 5L}, {0L, 9L}})
      BOOST_TEST(same_bits(contiguous(table.rows(T, offset, dtype, cpu)), rotary_table(T, 6, offset, 10000, dtype)));
}

BOOST_AUTO_TEST_CASE(the_table_stays_small_however_far_decoding_goes) {
  RotaryTable table(64);
  const size_t before = memory_stats().live;
  for (const long offset : {0L, 8191L, 8192L, 1000000L, 1000001L, 1008191L, 1008192L, 999999L, 5L}) {
    const Tensor row = table.rows(1, offset, f32, cpu);
    BOOST_TEST(same_bits(contiguous(row), rotary_table(1, 64, offset)));
    BOOST_TEST(memory_stats().live - before <= size_t(3) << 20);  // 2 MiB for 8192 positions
  }
  const Tensor prompt = table.rows(9000, 100, f32, cpu);  // as many as are asked for, always
  BOOST_TEST(same_bits(contiguous(prompt), rotary_table(9000, 64, 100)));
}

BOOST_AUTO_TEST_CASE(what_cannot_be_rotated_says_so) {
  BOOST_TEST(error_of([] { make_mixer("additive", {.C = 8, .heads = 2, .rotary = true}); }) ==
             "additive: rotary positions were asked for; its scores are more than dot products of queries and keys. "
             "Use learned positions");
  BOOST_TEST(error_of([] {
               make_mixer("window:bias=shaw", {.C = 8, .heads = 2, .rotary = true});
             }).starts_with("window: rotary positions were asked for; "));
  BOOST_TEST(error_of([] { make_mixer("full", {.C = 9, .heads = 3, .rotary = true}); }) ==
             "attention: a head has 3 channels; rotary positions rotate them in pairs, so their number must be even. "
             "Use other heads or positions");
  BOOST_TEST(error_of([] { rotary_table(3, 5); }) ==
             "rotary: T is 3 and D is 5; neither may be below 0, and D must be even: channels are rotated in pairs");
  BOOST_TEST(error_of([] { rotary_table(3, 4, 0, -1); }) == "rotary: the base is -1; it must be above 0");
  const Tensor x = noise({2, 3, 4}), y = noise({2, 3, 4}), table = rotary_table(4, 4, 0, 10000, f64);
  BOOST_TEST(error_of([&] { rotary_into(y, x, table, Rotate::forwards); }) ==
             "rotary: x is (2, 3, 4) and the table is (4, 2, 2); it must be (T, 2, D/2), as rotary_table makes it, or "
             "one for each sample");
  BOOST_TEST(error_of([&] {
               rotary_into(noise({2, 4, 4}), x, slice(table, 0, 0, 3), Rotate::forwards);
             }).find("they must have the same shape") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_language_model_takes_them_where_its_attention_can) {
  LmSettings s = preset("tiny");
  BOOST_TEST(s.positions == "rotary");
  BOOST_TEST(usual_positions(s) == "rotary");
  s.attention = "additive";
  BOOST_TEST(usual_positions(s) == "learned");
  s.attention = "full:bias=shaw";
  BOOST_TEST(usual_positions(s) == "learned");
  s.attention = "window:left=8", s.width = 15, s.heads = 5;
  BOOST_TEST(usual_positions(s) == "learned");
  Gpt model({.stack = {.C = 16, .heads = 2, .max_length = 8}, .positions = "rotary"});
  for (Parameter* p : model.parameters()) BOOST_TEST(p->path.find("positions") == std::string::npos);
  Context ctx;  // longer than max_length: nothing is learned per position
  BOOST_TEST(model.forward(zeros({1, 20}, i64), ctx).shape() == Shape({1, 20, 256}));
}

BOOST_AUTO_TEST_SUITE_END()
