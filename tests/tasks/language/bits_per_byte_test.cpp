// Bits per byte: known values, and that every byte counts once.
#include "tasks/language/bits_per_byte.h"

#include "tensor/copy.h"
#include "tests/support/error_of.h"
#include "tests/support/tiny_lm.h"

using namespace heed;

BOOST_AUTO_TEST_SUITE(bits_per_byte_test)

namespace {

Gpt tiny_model(const LmSettings& s = tiny_lm()) { return Gpt(model_options(s)); }

// All parameters 0: all logits are equal.
void forget_everything(Gpt& model) {
  for (Parameter* p : model.parameters()) fill(p->value.value(), 0);
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_model_that_knows_nothing_needs_8_bits) {
  Gpt model = tiny_model();
  forget_everything(model);
  const std::string text = tiny_text();
  const Evaluation e = bits_per_byte(model, split_of({text}), {.batch = 3, .context = 16});
  BOOST_TEST(std::abs(e.bpc - 8) < 1e-6);  // ln 256 in f32
  BOOST_TEST(e.bytes == long(text.size()) - 1);
}

BOOST_AUTO_TEST_CASE(every_byte_but_the_first_of_each_document_counts_once) {
  Gpt model = tiny_model();
  model.initialise(1);
  const std::vector<std::string> texts = {"abcdefghij", "k", "the third document is longer than a window", "xy"};
  const ByteSplit split = split_of(texts);
  for (const long stride : {1, 5, 15, 16})
    for (const long batch : {1, 2, 100}) {
      long shown = 0, windows = 0;
      EvaluationOptions options{.batch = batch, .context = 16, .stride = stride};
      options.progress = [&](long done, long all) { shown = done, windows = all; };
      BOOST_TEST(bits_per_byte(model, split, options).bytes == split.size() - long(texts.size()));
      BOOST_TEST(shown == windows);
      BOOST_TEST(windows == TokenWindows(split, batch, 16, stride).windows());
    }
}

BOOST_AUTO_TEST_CASE(a_stride_of_the_context_is_disjoint_windows) {
  Gpt model = tiny_model();
  model.initialise(1);
  const std::string text = tiny_text();
  const std::vector<std::string> texts = {text, "another document", text};
  const ByteSplit split = split_of(texts);
  const double disjoint = bits_per_byte(model, split, {.batch = 4, .context = 16}).bpc;
  BOOST_TEST(bits_per_byte(model, split, {.batch = 4, .context = 16, .stride = 16}).bpc == disjoint);
  BOOST_TEST(bits_per_byte(model, split, {.batch = 4}).bpc == disjoint);  // 16 is the model's context
  BOOST_TEST(std::abs(bits_per_byte(model, split, {.batch = 1, .context = 16}).bpc - disjoint) < 1e-6 * disjoint);
  BOOST_TEST(bits_per_byte(model, split, {.batch = 4, .context = 16, .stride = 4}).bpc != disjoint);
}

// What the batch holds besides a document must not change what the document needs.
BOOST_AUTO_TEST_CASE(documents_do_not_see_each_other) {
  Gpt model = tiny_model([] {
    LmSettings s = tiny_lm();
    s.positions = "none";
    return s;
  }());
  model.initialise(1);
  const std::string a = "a first text", b = "quite another";
  const EvaluationOptions options{.batch = 1, .context = 16};
  const Evaluation one = bits_per_byte(model, split_of({b}), options),
                   alone = bits_per_byte(model, split_of({a}), options);
  const Evaluation both = bits_per_byte(model, split_of({a.substr(0, 3), b}), options);
  const Evaluation first = bits_per_byte(model, split_of({a.substr(0, 3)}), options);
  BOOST_TEST(both.bytes == one.bytes + first.bytes);
  BOOST_TEST(std::abs(both.bpc * double(both.bytes) - one.bpc * double(one.bytes) - first.bpc * double(first.bytes)) <
             1e-4);
  BOOST_TEST(alone.bpc != one.bpc);
}

BOOST_AUTO_TEST_CASE(nothing_to_predict_is_an_error) {
  Gpt model = tiny_model();
  model.initialise(1);
  const EvaluationOptions options{.context = 16};
  BOOST_TEST(error_of([&] {
               bits_per_byte(model, split_of({"a", "b"}), options);
             }) ==
             "bits_per_byte: the part 'part' has 2 bytes in 2 documents; there is none to predict: one with another "
             "before it");
  BOOST_TEST(error_of([&] {
               bits_per_byte(model, ByteSplit(), options);
             }).starts_with("bits_per_byte: the part '' has 0 bytes in 0 documents"));
  BOOST_TEST(error_of([&] { bits_per_byte(model, split_of({"abc"}), {.context = 4, .stride = 5}); }) ==
             "token_data: windows of 4 bytes and a stride of 5; the stride must be 1 to 4, so that none is left out");
}

// In one go: what a long window gives, with a short one.
BOOST_AUTO_TEST_CASE(a_stream_remembers_what_it_has_read) {
  LmSettings s = tiny_lm();
  s.attention = "window:left=9", s.context = 4000;
  Gpt model = tiny_model(s);
  model.initialise(1);
  const std::string text = tiny_text();
  const double whole = bits_per_byte(model, split_of({text}), {.batch = 1}).bpc;
  const auto stream = [&](long context) {
    return bits_per_byte(model, split_of({text}), {.context = context, .stream = true});
  };
  for (const long context : {7, 16, 500}) {
    BOOST_TEST(stream(context).bpc == whole, boost::test_tools::tolerance(1e-5));
    BOOST_TEST(stream(context).bytes == long(text.size()) - 1);
  }
  BOOST_TEST(bits_per_byte(model, split_of({text}), {.context = 16}).bpc != whole);
}

BOOST_AUTO_TEST_CASE(a_phase_has_its_own_windows) {
  LmSettings s = tiny_lm();
  s.attention = "window:left=8";
  Gpt model = tiny_model(s);
  model.initialise(1);
  const std::string text = tiny_text();
  const auto bpc = [&](long window, double windows) {
    return bits_per_byte(model, split_of({text}), {.window = window, .windows = windows}).bpc;
  };
  BOOST_TEST(bpc(4, 1) == bpc(0, 0.5));
  BOOST_TEST(bpc(0, 1) != bpc(0, 0.5));
  BOOST_TEST(bpc(0, 1) == bpc(8, 1));
}

BOOST_AUTO_TEST_SUITE_END()
