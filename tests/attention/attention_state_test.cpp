// The property suite of decoding: what must hold for the State of every registered variant that has one.
#include "tensor/allocator.h"
#include "tensor/copy.h"
#include "tensor/create.h"
#include "tensor/views.h"
#include "tests/oracle/dense.h"
#include "tests/oracle/suite.h"
#include "tests/support/compare.h"
#include "tests/support/error_of.h"

using namespace heed;
namespace data = boost::unit_test::data;

namespace {

constexpr long C = 10;              // of kOracleSizes
constexpr double kRounding = 1e-5;  // f32: the same sums in another order

// Calls f(spec, mixer) for every spec that can decode.
template <class F> void for_each_decoder(const std::string& variant, F&& f) {
  for (const std::string& spec : specs_of(variant)) BOOST_TEST_CONTEXT(spec) {
      const auto mixer = mixer_of(spec, f32);
      if (!mixer->can().decode)
        does_not_apply("it has no State");
      else
        f(spec, *mixer);
    }
}

Tensor tokens(const Tensor& x, long begin, long end) { return contiguous(slice(x, 1, begin, end)); }

// Passes x (B, T, C) through the state in chunks of these sizes, again and again, and compares with the whole.
void check_chunks(Mixer& mixer, State& state, const Tensor& x, const std::vector<long>& sizes, const Tensor& whole) {
  Context ctx;
  size_t next = 0;
  for (long at = 0, T = x.size(1), end; at < T; at = end) {
    end = std::min(T, at + sizes[next++ % sizes.size()]);
    const Tensor y = mixer.forward(tokens(x, at, end), {.mask = causal_mask(), .state = &state}, ctx).value();
    BOOST_TEST_CONTEXT("tokens " << at << " to " << end) check_close(y, tokens(whole, at, end), kRounding);
    BOOST_TEST(state.length() == end);
  }
}

Tensor whole_pass(Mixer& mixer, const Tensor& x) {
  Context ctx;
  return mixer.forward(x, {.mask = causal_mask()}, ctx).value();
}

// How far back a causal query looks in 300 tokens, by the oracle
long furthest_back(const std::string& spec) {
  const long S = 300;
  const Tensor seen = dense_visible(spec, causal_mask(), {1, 4, S, S});
  const bool* at = seen.data<bool>();
  long furthest = 0;
  for_each_index(seen.shape(), [&](const Shape& p) {
    if (*at++) furthest = std::max(furthest, p[2] - p[3]);
  });
  return furthest;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(attention_state_test)

BOOST_DATA_TEST_CASE(chunks_of_any_size_equal_the_whole, data::make(variant_names()), variant) {
  for_each_decoder(variant, [&](const std::string&, Mixer& mixer) {
    const long T = 260;  // longer than the ring buffers of short windows
    const Tensor x = noise({2, T, C}, 1, f32), whole = whole_pass(mixer, x);
    for (bool grad : {false, true}) {
      const Recording recording(grad);
      for (const std::vector<long>& sizes : {std::vector<long>{1, 3, 1, 2}, {1}, {T}, {70, 1, 1, 33}, {2, 0, 129}})
        check_chunks(mixer, *mixer.start(2, T), x, sizes, whole);
    }
  });
}

BOOST_DATA_TEST_CASE(a_state_that_is_reset_starts_anew, data::make(variant_names()), variant) {
  for_each_decoder(variant, [&](const std::string&, Mixer& mixer) {
    const auto state = mixer.start(1, 150);
    for (uint32_t seed : {1, 2, 3}) {
      const Tensor x = noise({1, 150, C}, seed, f32);
      check_chunks(mixer, *state, x, {100, 1, 20}, whole_pass(mixer, x));
      state->reset();
      BOOST_TEST(state->length() == 0);
    }
  });
}

BOOST_DATA_TEST_CASE(a_state_refuses_what_does_not_fit_and_is_as_before, data::make(variant_names()), variant) {
  for_each_decoder(variant, [&](const std::string&, Mixer& mixer) {
    Context ctx;
    const Tensor x = noise({2, 9, C}, 1, f32), whole = whole_pass(mixer, x);
    const auto state = mixer.start(2, 9);
    const MixIn in{.mask = causal_mask(), .state = state.get()};
    check_chunks(mixer, *state, tokens(x, 0, 7), {7}, tokens(whole, 0, 7));
    BOOST_TEST(error_of([&] { mixer.forward(tokens(x, 0, 3), in, ctx); }) ==
               "state: 3 tokens were given after 7; it holds at most 9. Start a longer one: start(batch, max_length)");
    BOOST_TEST(error_of([&] {
                 mixer.forward(noise({3, 1, C}, 1, f32), in, ctx);
               }) == "state: it was started for a batch of 2 and got one of 3");
    BOOST_TEST(error_of([&] {
                 const Mask wrong = length_mask(tensor({9, 9, 9}, i64));
                 mixer.forward(tokens(x, 7, 9), {.mask = wrong, .state = state.get()}, ctx);
               }) ==
               "attention: the mask's lengths are (3,) and the batch is (B, H, T, S) = (2, 4, 2, 9); lengths must "
               "be (B,)");
    check_close(mixer.forward(tokens(x, 7, 9), in, ctx).value(), tokens(whole, 7, 9), kRounding);
  });
}

BOOST_DATA_TEST_CASE(a_state_serves_only_the_mixer_that_started_it, data::make(variant_names()), variant) {
  struct Nobody : Module {
  } nobody;
  struct Foreign : State {
    using State::State;
    Tensors tensors() const override { return {}; }
    void take(const Tensors&) override {}
  } foreign(1, 8, nobody);
  for_each_decoder(variant, [&](const std::string& spec, Mixer& mixer) {
    Context ctx;
    const auto twin = mixer_of(spec, f32);
    const auto other = twin->start(1, 8);
    for (State* state : {static_cast<State*>(&foreign), other.get()}) {
      const MixIn in{.mask = causal_mask(), .state = state};
      BOOST_TEST(error_of([&] {
                   mixer.forward(noise({1, 2, C}, 1, f32), in, ctx);
                 }) == "state: it was started by another mixer; each has its own");
    }
  });
}

BOOST_DATA_TEST_CASE(two_states_do_not_know_of_each_other, data::make(variant_names()), variant) {
  for_each_decoder(variant, [&](const std::string&, Mixer& mixer) {
    Context ctx;
    const Tensor x = noise({1, 20, C}, 1, f32), y = noise({1, 20, C}, 2, f32);
    const Tensor whole_x = whole_pass(mixer, x), whole_y = whole_pass(mixer, y);
    const auto state_x = mixer.start(1, 20), state_y = mixer.start(1, 40);
    for (long t = 0; t < 20; t++) {
      const MixIn in_x{.mask = causal_mask(), .state = state_x.get()},
          in_y{.mask = causal_mask(), .state = state_y.get()};
      check_close(mixer.forward(tokens(x, t, t + 1), in_x, ctx).value(), tokens(whole_x, t, t + 1), kRounding);
      check_close(mixer.forward(tokens(y, t, t + 1), in_y, ctx).value(), tokens(whole_y, t, t + 1), kRounding);
    }
  });
}

BOOST_DATA_TEST_CASE(a_state_keeps_only_what_can_be_seen_again, data::make(variant_names()), variant) {
  for_each_decoder(variant, [&](const std::string& spec, Mixer& mixer) {
    if (furthest_back(spec) > 150) return does_not_apply("a query may look back to the first token");
    auto bytes = [&](long prompt, long max_length) {
      NoGrad no_grad;
      const Tensor x = noise({1, prompt, C}, 1, f32), token = noise({1, 1, C}, 1, f32);
      const size_t before = memory_stats().live;
      const auto state = mixer.start(1, max_length);
      {
        Context ctx;  // its plans count for the context, not for the state
        mixer.forward(x, {.mask = causal_mask(), .state = state.get()}, ctx);
        for (long t = 0; t < 700; t++) mixer.forward(token, {.mask = causal_mask(), .state = state.get()}, ctx);
      }
      return memory_stats().live - before;
    };
    BOOST_TEST(bytes(1, 5000) == bytes(1, 100000));
    BOOST_TEST(bytes(1, 5000) == bytes(4000, 5000));
  });
}

// Everything comes from what the allocator has in its bins.
BOOST_DATA_TEST_CASE(decoding_a_second_text_asks_the_system_for_no_memory, data::make(variant_names()), variant) {
  for_each_decoder(variant, [&](const std::string&, Mixer& mixer) {
    const NoGrad no_grad;
    Context ctx;
    const Tensor token = noise({1, 1, C}, 1, f32);
    const auto state = mixer.start(1, 200);
    const auto write = [&] {
      state->reset();
      for (long t = 0; t < 200; t++) mixer.forward(token, {.mask = causal_mask(), .state = state.get()}, ctx);
      return memory_stats().driver_calls;
    };
    const long before = write();
    BOOST_TEST(write() == before);
  });
}

BOOST_DATA_TEST_CASE(keys_and_values_of_a_source_are_made_once, data::make(variant_names()), variant) {
  for_each_decoder(variant, [&](const std::string&, Mixer& mixer) {
    if (!mixer.can().cross) return does_not_apply("it takes no source");
    Context ctx;
    const Tensor x = noise({2, 7, C}, 1, f32);
    const Variable source(noise({2, 33, C}, 2, f32)), nothing_new(zeros({2, 33, C}));
    const Mask lengths = length_mask(tensor({33, 20}, i64));
    const auto state = mixer.start(2, 7);
    for (long t = 0; t < 7; t++) {
      const Tensor token = tokens(x, t, t + 1);
      const Tensor want = mixer.forward(token, {.source = &source, .mask = lengths}, ctx).value();
      const MixIn in{.source = t == 0 ? &source : &nothing_new, .mask = lengths, .state = state.get()};
      check_close(mixer.forward(token, in, ctx).value(), want, kRounding);
    }
  });
}

BOOST_AUTO_TEST_CASE(once_tokens_are_forgotten_a_mask_must_not_name_single_ones) {
  const auto mixer = mixer_of("window:left=2,right=0", f32);
  Context ctx;
  for (const Mask& mask : {length_mask(tensor({3}, i64)), segment_mask(zeros({1, 3}, i64)),
                           range_mask(zeros({1, 1, 2}, i64)), allow_mask(full({1, 3}, 1, boolean))}) {
    const auto state = mixer->start(1, 2000);
    for (long T : {900, 1}) mixer->forward(zeros({1, T, C}), {.mask = causal_mask(), .state = state.get()}, ctx);
    const std::string error = error_of([&] {
      mixer->forward(zeros({1, 1, C}), {.mask = mask, .state = state.get()}, ctx);
    });
    BOOST_TEST(error.find(" tokens are out of reach and were forgotten; the mask must not have lengths, segments, "
                          "ranges or single pairs any more") != std::string::npos);
  }
}

BOOST_DATA_TEST_CASE(what_can_decode_starts_a_state_and_what_cannot_says_so, data::make(variant_names()), variant) {
  for (const std::string& spec : specs_of(variant)) {
    const auto mixer = mixer_of(spec, f32);
    if (mixer->can().decode)
      BOOST_CHECK_NO_THROW(mixer->start(1, 8));
    else
      BOOST_TEST(error_of([&] { mixer->start(1, 8); }).find("token-by-token decoding is not defined") !=
                 std::string::npos);
  }
}

BOOST_AUTO_TEST_SUITE_END()
