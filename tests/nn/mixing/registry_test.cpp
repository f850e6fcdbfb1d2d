// The registry: what it holds, and what it says to a spec that is not right.
#include "nn/mixing/registry.h"

#include <algorithm>
#include <clocale>

#include "tensor/create.h"
#include "tests/oracle/suite.h"
#include "tests/support/compare.h"
#include "tests/support/error_of.h"

using namespace heed;

namespace {

const MixerOptions kSizes{.C = 8, .heads = 2, .grid = {4, 4}};
std::string refusal(const std::string& spec, const MixerOptions& sizes = kSizes) {
  return error_of([&] { make_mixer(spec, sizes); });
}

}  // namespace

BOOST_AUTO_TEST_SUITE(registry_test)

BOOST_AUTO_TEST_CASE(variants_stand_in_order_of_their_names_and_say_what_they_are) {
  const std::vector<std::string> names = variant_names();
  BOOST_TEST(std::is_sorted(names.begin(), names.end()));
  for (const std::string& name : names) BOOST_TEST(find_variant(name).name == name);
  for (const Variant* variant : variants()) BOOST_TEST_CONTEXT(variant->name) {
      for (const std::string& text :
           {variant->summary, variant->formula, variant->source, variant->when, variant->when_not})
        BOOST_TEST(!text.empty());
      BOOST_TEST(variant->source.ends_with(std::to_string(variant->year)));
      for (const std::string& spec : shown_specs(*variant)) BOOST_TEST(find_variant(spec).name == variant->name);
      for (const VariantOption& option : variant->options()) {
        BOOST_TEST(!option.help.empty(), option.name);
        make_mixer(variant->name + ":" + option.name + "=" + option.standard, kSizes);  // the default is allowed
      }
    }
}

BOOST_AUTO_TEST_CASE(a_spec_with_every_option_written_out_means_the_same) {
  for (const Variant* variant : variants())
    for (const std::string& spec : specs_of(variant->name)) {
      const std::string whole = options_of(spec).spec();
      BOOST_TEST(options_of(whole).spec() == whole);
      Context ctx;
      MixerOptions sizes = kOracleSizes;
      if (spec.find("grid=") == std::string::npos) sizes.grid = {4, 5};
      const auto y = [&](const std::string& each) {
        return run(*mixer_of(each, f64, sizes), noise({1, 20, sizes.C}, 1), {}, ctx).value();
      };
      BOOST_TEST(same_bits(y(whole), y(spec)));
    }
  const VariantOptions options = options_of("window:dilation=2,left=1e1");
  BOOST_TEST(options.number("left") == 10);
  BOOST_TEST(options.number("right") == 128);
  BOOST_TEST(options.word("bias") == "none");
}

BOOST_AUTO_TEST_CASE(an_unknown_name_is_answered_with_what_there_is) {
  const std::string text = refusal("windw:left=3");
  BOOST_TEST(text.starts_with("attention: there is no variant 'windw'; there are "));
  BOOST_TEST(text.ends_with(". Did you mean window?"));
  BOOST_TEST(refusal("").starts_with("attention: there is no variant ''; there are "));
  BOOST_TEST(
      refusal("window:lft=3") ==
      "window: there is no option 'lft'; there are left, right, dilation, global, bias, clip. Did you mean left?");
  BOOST_TEST(refusal("full:bias=alib") ==
             "full: there is no bias 'alib'; there are none, alibi, shaw, t5. Did you mean alibi?");
}

BOOST_AUTO_TEST_CASE(a_value_that_is_not_right_is_answered_with_the_rule) {
  for (const char* text : {"x", "", "inf", "nan", " 3", "3x", "-2", "1000001"})
    BOOST_TEST(refusal(std::string("window:left=") + text) ==
               std::string("window: got left=") + text + "; it must be a number from -1 to 1000000");
  BOOST_TEST(refusal("local:block=0") == "local: got block=0; it must be a number from 1 to 1000000");
  BOOST_TEST(refusal("window:left=1.5") == "window: got left=1.5; it must be a whole number");
}

BOOST_AUTO_TEST_CASE(a_spec_that_cannot_be_read_is_refused) {
  BOOST_TEST(refusal("window:left=3,right=2,left=4") == "attention: 'window:left=3,right=2,left=4' gives left twice");
  BOOST_TEST(refusal("window:left") ==
             "attention: 'window:left' has 'left' where an option is expected; the rule is "
             "name:option=value,option=value");
  BOOST_TEST(refusal("window:,left=3") ==
             "attention: 'window:,left=3' has '' where an option is expected; the rule is "
             "name:option=value,option=value");
  for (const std::string spec : {"window:", "full:", "additive:", "window:left=3,", "window:left=3,,right=2"})
    BOOST_TEST(refusal(spec) == "attention: '" + spec +
                                    "' has '' where an option is expected; the rule is "
                                    "name:option=value,option=value");
}

BOOST_AUTO_TEST_CASE(a_name_is_given_once) {
  const size_t before = variants().size();
  {
    // it says nothing yet
    const RegisteredVariant second({.name = "full", .summary = "all of them"});
    const std::string text = error_of([] { variants(); });
    BOOST_TEST(text.starts_with("attention: the variant 'full' is registered twice, at attention/variants/full.cpp:"));
    BOOST_TEST(refusal("window") == text);
  }
  BOOST_TEST(variants().size() == before);
}

BOOST_AUTO_TEST_CASE(numbers_have_a_point_in_every_locale) {
  std::setlocale(LC_NUMERIC, "de_DE.UTF-8");  // where there is one, it has a comma
  const VariantOption share{.name = "share", .help = "a share", .standard = "0.25"};
  BOOST_TEST(VariantOptions("mine:share=1.5", "mine", {share}).real("share") == 1.5);
  BOOST_TEST(VariantOptions("mine", "mine", {share}).real("share") == 0.25);
  BOOST_TEST(error_of([&] { VariantOptions("mine:share=1,5", "mine", {share}); }) ==
             "attention: 'mine:share=1,5' has '5' where an option is expected; the rule is "
             "name:option=value,option=value");
  std::setlocale(LC_NUMERIC, "C");
}

BOOST_AUTO_TEST_CASE(sizes_that_do_not_fit_are_refused) {
  BOOST_TEST(refusal("full", {.C = 0}) == "attention: C is 0 and heads is 1; both must be at least 1");
  BOOST_TEST(refusal("full", {.C = 8, .heads = 3}) ==
             "attention: C is 8 and heads is 3; heads must divide C, or head_width must be given");
  BOOST_TEST(refusal("full", {.C = 8, .heads = 4, .key_heads = 3}) ==
             "attention: heads is 4 and key_heads is 3; key_heads must divide heads");
  BOOST_TEST(refusal("full", {.C = 8, .heads = 4, .head_width = -2}) ==
             "attention: head_width is -2 and value_width is 0; both must be at least 1, or 0 for C / heads");
  BOOST_TEST(refusal("full", {.C = 1026, .heads = 2}) ==
             "attention: a head has 513 channels and 513 values; the rule is at most 512. Use more heads");
  make_mixer("additive", {.C = 1026, .heads = 2});  // another engine
  BOOST_TEST(refusal("full", {.C = 8, .heads = 2, .dropout = 1}) == "attention: dropout is 1; the rule is 0 <= p < 1");
}

BOOST_AUTO_TEST_CASE(a_forward_checks_what_it_gets) {
  const auto full = make_mixer("full", kSizes), local = make_mixer("local", kSizes);
  Context ctx;
  const Variable source(zeros({1, 4, 6})), other(zeros({2, 4, 8}));
  BOOST_TEST(error_of([&] {
               full->forward(zeros({1, 4, 6}), {}, ctx);
             }) == "attention: x is (1, 4, 6); it must be (B, T, 8)");
  BOOST_TEST(error_of([&] {
               full->forward(zeros({1, 4, 8}), {.source = &source}, ctx);
             }) == "attention: x is (1, 4, 8) and the source is (1, 4, 6); it must be (B, S, C)");
  BOOST_TEST(error_of([&] {
               full->forward(zeros({1, 4, 8}), {.source = &other}, ctx);
             }) == "attention: x is (1, 4, 8) and the source is (2, 4, 8); it must be (B, S, C)");
  BOOST_TEST(error_of([&] {
               full->forward(zeros({1, 4, 8}), {.mask = length_mask(tensor({4, 2}, i64))}, ctx);
             }) ==
             "attention: the mask's lengths are (2,) and the batch is (B, H, T, S) = (1, 2, 4, 4); lengths must be "
             "(B,)");
  const Variable fits(zeros({1, 4, 8}));
  BOOST_TEST(
      error_of([&] {
        local->forward(zeros({1, 4, 8}), {.source = &fits}, ctx);
      }) ==
      "local: a source was given; it mixes the tokens of one sequence and takes no keys from another: its pattern is "
      "one of positions in one sequence. Use full");
  const auto state = full->start(1, 8);
  BOOST_TEST(error_of([&] {
               full->weights(zeros({1, 4, 8}), {.state = state.get()}, ctx);
             }) == "full: a state was given; weights are shown for a whole sequence");
}

BOOST_AUTO_TEST_CASE(options_take_lists_sizes_sets_of_words_and_yes_or_no) {
  const std::vector<VariantOption> known = {
      {.name = "shares", .help = "", .standard = "4", .low = 1, .high = 99, .parted_by = '/'},
      {.name = "grid", .help = "", .standard = "8x8", .low = 1, .high = 64, .parted_by = 'x'},
      {.name = "kinds", .help = "", .standard = "dense", .choices = {"random", "dense", "fixed"}, .parted_by = '+'},
      yes_or_no("masked", "", true)};
  const VariantOptions usual("v", "v", known),
      given("v:shares=10/2/3,grid=4x6,kinds=fixed+random,masked=no", "v", known);
  BOOST_TEST(usual.numbers("shares") == (std::vector<long>{4}));
  BOOST_TEST(given.numbers("shares") == (std::vector<long>{10, 2, 3}));
  BOOST_TEST(given.numbers("grid") == (std::vector<long>{4, 6}));
  BOOST_TEST(given.words("kinds") == (std::vector<std::string>{"fixed", "random"}));
  BOOST_TEST(usual.yes("masked"));
  BOOST_TEST(!given.yes("masked"));
  const auto error = [&](const std::string& spec) {
    return error_of([&] { VariantOptions("v:" + spec, "v", known); });
  };
  BOOST_TEST(error("shares=10//2") == "v: got shares=; it must be a number from 1 to 99");
  BOOST_TEST(error("shares=10/100") == "v: got shares=100; it must be a number from 1 to 99");
  BOOST_TEST(error("kinds=dense+densa") ==
             "v: there is no kinds 'densa'; there are random, dense, fixed. Did you mean dense?");
  BOOST_TEST(error("kinds=dense+dense") ==
             "v: got kinds=dense+dense; dense is there twice, and in a set every word stands once");
  BOOST_TEST(error("masked=y") == "v: there is no masked 'y'; there are no, yes. Did you mean yes?");
}

BOOST_AUTO_TEST_CASE(a_list_of_specs_repeats_over_the_layers) {
  using Specs = std::vector<std::string>;
  BOOST_TEST(layer_specs("full", 2) == (Specs{"full", "full"}));
  BOOST_TEST(layer_specs("local:block=4*2;full", 5) ==
             (Specs{"local:block=4", "local:block=4", "full", "local:block=4", "local:block=4"}));
  BOOST_TEST(layer_specs("full", 0) == (Specs{"full"}));
}

BOOST_AUTO_TEST_CASE(a_list_of_specs_that_does_not_fit_is_refused) {
  BOOST_TEST(error_of([] { layer_specs("local*2;full", 2); }) ==
             "attention: 'local*2;full' is longer than the stack, which has 2 attentions; name one for each layer, or "
             "fewer that repeat");
  const std::string rule =
      "' where an attention is expected; the rule is spec;spec*2;spec, with *n for n layers of one "
      "kind";
  BOOST_TEST(error_of([] { layer_specs("local;;full", 4); }) == "attention: 'local;;full' has '" + rule);
  BOOST_TEST(error_of([] { layer_specs("local*0", 4); }) == "attention: 'local*0' has 'local*0" + rule);
  BOOST_TEST(error_of([] { layer_specs("local*many;full", 4); }) ==
             "attention: 'local*many;full' has 'local*many" + rule);
}

BOOST_AUTO_TEST_SUITE_END()
