// What longformer promises beyond the property suite: which projections serve which rows, marks of a batch, windows of
// the layers, and what is refused.
#include "attention/engines/softmax_engine.h"
#include "tensor/copy.h"
#include "tensor/create.h"
#include "tensor/ops/compare.h"
#include "tensor/ops/elementwise.h"
#include "tensor/ops/reduce.h"
#include "tensor/views.h"
#include "tests/oracle/suite.h"
#include "tests/support/compare.h"
#include "tests/support/error_of.h"

using namespace heed;

namespace {

const long C = kOracleSizes.C;

Tensor output(Mixer& mixer, const Tensor& x, const MixIn& in = {}) {
  const NoGrad no_grad;
  Context ctx;
  return mixer.forward(x, in, ctx).value();
}

void change(Mixer& mixer, const std::string& path) {
  for (Parameter* p : mixer.parameters())
    if (p->path == path) p->value.set_value(p->value.value() * 1.5 + 0.1);
}

// Global rows by the projections of the others
void make_alike(Mixer& mixer) {
  for (Parameter* p : mixer.parameters())
    if (p->path.starts_with("core.global.")) p->value.set_value(clone(parameter_of(mixer, "in." + p->path.substr(12))));
}

// The rows that differ
std::vector<long> changed(const Tensor& a, const Tensor& b) {
  std::vector<long> list;
  for (long i = 0; i < a.size(1); i++)
    if (!same_bits(rows(a, i, i + 1), rows(b, i, i + 1))) list.push_back(i);
  return list;
}

std::string refusal(const std::string& spec, const MixerOptions& mixer = {.C = 8, .heads = 4}) {
  return error_of([&] { make_mixer(spec, mixer); });
}

// How many keys the query in the middle of 61 tokens sees in one head
long seen(const std::string& spec, const MixerOptions& mixer, long head) {
  Context ctx;
  const auto made = make_mixer(spec, mixer);
  made->cast_parameters(f64);
  const Tensor weights = made->weights(noise({1, 61, mixer.C}, 1), {}, ctx);
  return long(sum(cast(greater(select(select(select(weights, 0, 0), 0, head), 0, 30), scalar(0, f64)), f64)).item());
}

}  // namespace

BOOST_AUTO_TEST_SUITE(longformer_test)

BOOST_AUTO_TEST_CASE(global_rows_are_made_by_the_global_projections_alone) {
  for (const char* spec : {"longformer:window=2,at=0/5", "longformer:window=2,dilation=3,dilated=2,at=0/5"}) {
    const auto mixer = mixer_of(spec);
    const Tensor x = noise({2, 9, C}, 1), before = output(*mixer, x);
    change(*mixer, "core.global.weight");
    const Tensor other = output(*mixer, x);
    BOOST_TEST(changed(before, other) == (std::vector<long>{0, 5}), boost::test_tools::per_element());
    change(*mixer, "in.weight");  // keys and values of the local projection serve no global row
    BOOST_TEST(changed(other, output(*mixer, x)) == (std::vector<long>{1, 2, 3, 4, 6, 7, 8}),
               boost::test_tools::per_element());
  }
}

BOOST_AUTO_TEST_CASE(with_equal_projections_and_everything_in_sight_it_is_full_attention) {
  for (const char* spec :
       {"longformer:window=0,globals=40,causal_global=yes", "longformer:window=39,globals=2,at=9,causal_global=yes",
        "longformer:window=39,dilation=1,dilated=2,at=39,causal_global=yes"}) {
    const auto mixer = mixer_of(spec), full = mixer_of("full");
    make_alike(*mixer);
    for (Parameter* p : full->parameters()) p->value.set_value(parameter_of(*mixer, p->path));
    for (bool causal : {false, true}) {
      const Tensor x = noise({2, 40, C}, 1);
      check_close(output(*mixer, x, {.mask = causal_if(causal)}), output(*full, x, {.mask = causal_if(causal)}),
                  kExact);
    }
  }
}

BOOST_AUTO_TEST_CASE(with_equal_projections_it_is_a_window_with_globals) {
  const auto mixer = mixer_of("longformer:window=3,dilation=2,globals=2"),
             window = mixer_of("window:left=3,right=3,dilation=2,global=2");
  make_alike(*mixer);
  for (Parameter* p : window->parameters()) p->value.set_value(parameter_of(*mixer, p->path));
  const Tensor x = noise({2, 140, C}, 1);
  check_close(output(*mixer, x), output(*window, x), kExact);
}

// Its row is made by q'; its k and v are seen by others.
BOOST_AUTO_TEST_CASE(the_local_query_of_a_global_token_has_no_gradient) {
  const auto mixer = mixer_of("longformer:window=0,at=1");
  const Tensor x = noise({1, 3, C}, 1);
  const auto of_row = [&](long row) {
    Context ctx;
    const Tensor dy = zeros({1, 3, C}, f64);
    fill(slice(dy, 1, row, row + 1), 1);
    return results(*mixer, x, Mask(), ctx, dy);
  };
  const auto largest = [](const Results& all, const std::string& path) {
    const auto found = all.gradients.find(path);
    return found == all.gradients.end() ? 0 : max(abs(found->second)).item();
  };
  const Results global = of_row(1), local = of_row(2);
  BOOST_TEST(largest(global, "in.weight") == 0);
  BOOST_TEST(largest(global, "core.global.weight") > 0);
  BOOST_TEST(largest(local, "core.global.weight") == 0);
  BOOST_TEST(largest(local, "in.weight") > 0);
  BOOST_TEST(max(abs(rows(local.dx, 1, 2))).item() > 0);   // by its key and value
  BOOST_TEST(max(abs(rows(local.dx, 0, 1))).item() == 0);  // out of sight
}

BOOST_AUTO_TEST_CASE(marks_choose_global_tokens_in_each_sample) {
  const auto mixer = mixer_of("longformer:window=2,marked=yes");
  const auto alone = [&](const std::string& at, long b, const Tensor& x) {
    const auto other = mixer_of("longformer:window=2,marked=yes,at=" + at);
    for (Parameter* p : other->parameters()) p->value.set_value(parameter_of(*mixer, p->path));
    return output(*other, sample(x, b));
  };
  const Tensor x = noise({3, 20, C}, 1), marks = zeros({3, 20}, boolean);
  for (auto [b, t] : {std::pair{0, 4}, {0, 17}, {1, 9}}) fill(slice(slice(marks, 0, b, b + 1), 1, t, t + 1), 1);
  const Tokens tokens{.global = marks};
  const Tensor y = output(*mixer, x, {.tokens = &tokens});
  check_close(sample(y, 0), alone("4/17", 0, x), kExact);
  check_close(sample(y, 1), alone("9", 1, x), kExact);
  check_close(sample(y, 2), output(*mixer, sample(x, 2)), kExact);  // none: the window alone
  const Tokens shared{.global = slice(marks, 0, 0, 1)};
  check_close(sample(output(*mixer, x, {.tokens = &shared}), 2), alone("4/17", 2, x), kExact);
}

BOOST_AUTO_TEST_CASE(global_tokens_that_are_padding_are_none) {
  const auto mixer = mixer_of("longformer:window=2,at=1/12,marked=yes");
  const Tensor x = noise({2, 20, C}, 1), other = clone(x), marks = zeros({2, 20}, boolean);
  fill(slice(marks, 1, 15, 16), 1);
  fill(slice(slice(other, 0, 1, 2), 1, 10, 20), 7);
  const Tokens tokens{.global = marks};
  const Mask mask = length_mask(tensor({20, 10}, i64));
  const Tensor y = output(*mixer, x, {.mask = mask, .tokens = &tokens});
  check_close(y, output(*mixer, other, {.mask = mask, .tokens = &tokens}), 0);
  check_close(rows(sample(y, 1), 0, 10), output(*mixer, rows(sample(x, 1), 0, 10)), kExact);
  check_close(rows(sample(y, 1), 10, 20), zeros({1, 10, C}, f64), 0);
}

BOOST_AUTO_TEST_CASE(lists_are_spread_over_the_layers_from_the_bottom_up) {
  std::vector<long> windows, dilated;
  for (long layer = 0; layer < 12; layer++) {
    const MixerOptions mixer{.C = 8, .heads = 4, .layer = layer, .layers = 12};
    windows.push_back((seen("longformer:window=1/2/3/4/5", mixer, 0) - 1) / 2);
    dilated.push_back(30 / (seen("longformer:window=60,dilation=1/1/1/2/3/5,dilated=2", mixer, 3) / 2));
    BOOST_TEST(seen("longformer:window=60,dilation=1/1/1/2/3/5,dilated=2", mixer, 1) == 61);  // the last heads alone
  }
  BOOST_TEST(windows == (std::vector<long>{1, 1, 2, 2, 3, 3, 4, 4, 4, 5, 5, 5}), boost::test_tools::per_element());
  BOOST_TEST(dilated == (std::vector<long>{1, 1, 1, 1, 1, 1, 2, 2, 3, 3, 5, 5}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(scaled_windows_are_those_of_a_smaller_window) {
  for (const char* rest : {"", ",globals=2", ",dilation=2,dilated=2,at=3"}) {
    const auto wide = mixer_of(std::string("longformer:window=8") + rest),
               narrow = mixer_of(std::string("longformer:window=2") + rest);
    for (Parameter* p : narrow->parameters()) p->value.set_value(parameter_of(*wide, p->path));
    Context ctx;
    ctx.window_scale = 0.25;
    const Tensor x = noise({2, 70, C}, 1);
    BOOST_TEST(same_bits(wide->forward(x, {}, ctx).value(), output(*narrow, x)), rest);
    BOOST_TEST(!same_bits(output(*wide, x), output(*narrow, x)), rest);
  }
}

// A window of the mask hides global tokens too, also those that are far back.
BOOST_AUTO_TEST_CASE(while_decoding_a_window_of_the_mask_goes_by_positions) {
  for (const char* spec :
       {"longformer:window=3,at=0/60,causal_global=yes", "longformer:window=3,marked=yes,causal_global=yes",
        "longformer:window=3,dilation=4,dilated=2,at=0/60,causal_global=yes"}) {
    const auto mixer = mixer_of(spec);
    const NoGrad no_grad;
    const long T = 260;
    const Tensor x = noise({1, T, C}, 1);
    const Mask mask = causal_mask() & window_mask(150, -1);
    const Tensor whole = output(*mixer, x, {.mask = mask});
    for (long chunk : {1, 50}) {
      const auto state = mixer->start(1, T);
      for (long at = 0; at < T; at += chunk) {
        const long end = std::min(T, at + chunk);
        check_close(output(*mixer, rows(x, at, end), {.mask = mask, .state = state.get()}), rows(whole, at, end),
                    1e-10);
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(positions_beyond_the_text_are_not_there) {
  const auto mixer = mixer_of("longformer:window=2,at=5");
  check_close(
      output(*mixer, noise({1, 3, C}, 1)),
      [&] {
        const auto plain = mixer_of("longformer:window=2");
        for (Parameter* p : plain->parameters()) p->value.set_value(parameter_of(*mixer, p->path));
        return output(*plain, noise({1, 3, C}, 1));
      }(),
      kExact);
}

BOOST_AUTO_TEST_CASE(lists_and_tokens_that_do_not_fit_are_refused) {
  BOOST_TEST(refusal("longformer:window=1/2/3", {.C = 8, .heads = 4, .layers = 2}) ==
             "longformer: got window=1/2/3, a list of 3 for 2 layers; there must be at most one for each");
  BOOST_TEST(refusal("longformer:dilation=2,dilated=5") ==
             "longformer: got dilated=5; there are 4 heads, and each head of keys serves 1 of them: it must be at most "
             "as many, and a multiple of that");
  BOOST_TEST(refusal("longformer:dilation=2,dilated=1", {.C = 8, .heads = 4, .key_heads = 2}) ==
             "longformer: got dilated=1; there are 4 heads, and each head of keys serves 2 of them: it must be at most "
             "as many, and a multiple of that");
  BOOST_TEST(refusal("longformer:at=0/17/17") ==
             "longformer: got at=0/17/17; it is a list of positions from 0 on, each once, or -1 for none");
  BOOST_TEST(refusal("longformer:at=3/-1") ==
             "longformer: got at=3/-1; it is a list of positions from 0 on, each once, or -1 for none");
  BOOST_TEST(refusal("longformer:at=3/64", {.C = 8, .heads = 4, .max_length = 64}) ==
             "longformer: got globals=0 and at=3/64; the longest text has 64 tokens (max_length), and position 64 is "
             "beyond it");
  BOOST_TEST(refusal("longformer:globals=65", {.C = 8, .heads = 4, .max_length = 64})
                 .ends_with("the longest text has 64 tokens (max_length), and position 64 is beyond it"));
  BOOST_TEST(refusal("longformer:at=0/x").starts_with("longformer: got at=x; it must be a number from -1"));
}

BOOST_AUTO_TEST_CASE(what_reads_the_future_and_marks_that_cannot_be_are_refused) {
  const auto symmetric = mixer_of("longformer:globals=1"), plain = mixer_of("longformer"),
             causal = mixer_of("longformer:globals=1,causal_global=yes");
  const Tensor x = zeros({1, 8, C}, f64);
  BOOST_TEST(error_of([&] { output(*symmetric, x, {.mask = causal_mask()}); }) ==
             "longformer: the mask is causal, which this attention does not honour: symmetric global tokens read the "
             "future; give causal_global=yes. Leave it out, or use full");
  BOOST_TEST(error_of([&] { symmetric->start(1, 8); }) ==
             "longformer: it keeps no state: token-by-token decoding is not defined for it: symmetric global tokens "
             "read the future; give causal_global=yes; use it in an encoder");
  const Tokens tokens{.global = ones({1, 8}, boolean)}, few{.global = ones({1, 7}, boolean)};
  BOOST_TEST(error_of([&] { output(*plain, x, {.tokens = &tokens}); }) ==
             "longformer: tokens are marked as global; it has no global tokens: its windows are those of one sequence; "
             "globals=, at= and marked=yes give it global tokens. Use an attention that has");
  BOOST_TEST(error_of([&] {
               output(*causal, x, {.tokens = &few});
             }).starts_with("longformer: the marks of global tokens are (1, 7) boolean and (B, T) is (1, 8)"));
  const auto state = causal->start(1, 8);
  BOOST_TEST(error_of([&] { output(*causal, x, {.mask = causal_mask(), .state = state.get(), .tokens = &tokens}); }) ==
             "longformer: marks of global tokens and a state were given; while decoding global tokens are those of "
             "globals= and at=");
}

BOOST_AUTO_TEST_SUITE_END()
