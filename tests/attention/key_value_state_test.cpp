// The KV cache by itself; tests/attention/suite_states_test.cpp uses it through every variant.
#include "attention/key_value_state.h"

#include "autograd/ops/elementwise.h"
#include "autograd/ops/reduce.h"
#include "tensor/allocator.h"
#include "tensor/copy.h"
#include "tensor/create.h"
#include "tensor/views.h"
#include "tests/oracle/suite.h"
#include "tests/support/compare.h"
#include "tests/support/error_of.h"

using namespace heed;

namespace {

struct Nobody : Module {};

// Appends the tokens begin .. end of k and v, as a mixer does.
void take(KeyValueState& state, const Tensor& k, const Tensor& v, long begin, long end) {
  state.append(slice(k, 2, begin, end), slice(v, 2, begin, end));
  state.advance(end - begin);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(key_value_state_test)

BOOST_AUTO_TEST_CASE(without_a_reach_it_holds_everything_in_order) {
  const Nobody mixer;
  const Tensor k = noise({2, 3, 40, 4}, 1), v = noise({2, 3, 40, 5}, 2);
  KeyValueState state(2, 40, -1, mixer);
  for (auto [begin, end] : {std::pair{0, 7}, {7, 8}, {8, 8}, {8, 40}}) {
    BOOST_TEST(state.keys_after(end - begin) == end);
    take(state, k, v, begin, end);
    check_close(contiguous(state.k()), contiguous(slice(k, 2, 0, end)), 0);
    check_close(contiguous(state.v()), contiguous(slice(v, 2, 0, end)), 0);
    BOOST_TEST(state.first_key() == 0);
  }
}

BOOST_AUTO_TEST_CASE(with_a_reach_it_holds_at_least_that_much_and_bounded_memory) {
  const Nobody mixer;
  const long n = 1000, reach = 5;
  const Tensor k = noise({1, 1, n, 2}, 1), v = noise({1, 1, n, 2}, 2);
  KeyValueState state(1, n, reach, mixer);
  for (long t = 0; t < n; t++) {
    const long promised = state.keys_after(1);
    take(state, k, v, t, t + 1);
    BOOST_TEST(state.keys() == promised);
    BOOST_TEST(state.keys() >= std::min(t, reach) + 1);
    BOOST_TEST(state.keys() <= 2 * (reach + 1) + 64);
    BOOST_TEST(same_bits(contiguous(state.k()), contiguous(slice(k, 2, state.first_key(), t + 1))));
    BOOST_TEST(same_bits(contiguous(state.v()), contiguous(slice(v, 2, state.first_key(), t + 1))));
  }
}

BOOST_AUTO_TEST_CASE(a_source_is_kept_until_reset) {
  const Nobody mixer;
  const Tensor k = noise({1, 2, 9, 4}, 1), v = noise({1, 2, 9, 4}, 2);
  KeyValueState state(1, 20, -1, mixer);
  BOOST_TEST(!state.has_source());
  state.keep_source(k, v);
  BOOST_TEST(state.has_source());
  check_close(contiguous(state.k()), k, 0);
  BOOST_TEST(state.length() == 0);  // no token of the own sequence was taken in
  state.reset();
  BOOST_TEST(!state.has_source());
  BOOST_TEST(state.keys() == 0);
}

BOOST_AUTO_TEST_CASE(it_serves_only_its_owner) {
  const Nobody mixer, other;
  KeyValueState state(1, 8, -1, mixer);
  BOOST_TEST(&State::of<KeyValueState>(state, mixer) == &state);
  BOOST_TEST(error_of([&] { State::of<KeyValueState>(state, other); }) ==
             "state: it was started by another mixer; each has its own");
}

BOOST_AUTO_TEST_CASE(once_tokens_are_forgotten_a_mask_must_not_name_single_ones) {
  const auto mixer = mixer_of("window:left=2,right=0", f32);
  Context ctx;
  for (const Mask& mask : {length_mask(tensor({3}, i64)), segment_mask(zeros({1, 3}, i64)),
                           range_mask(zeros({1, 1, 2}, i64)), allow_mask(full({1, 3}, 1, boolean))}) {
    const auto state = mixer->start(1, 2000);
    for (long T : {900, 1}) mixer->forward(zeros({1, T, 10}), {.mask = causal_mask(), .state = state.get()}, ctx);
    const std::string error = error_of([&] {
      mixer->forward(zeros({1, 1, 10}), {.mask = mask, .state = state.get()}, ctx);
    });
    BOOST_TEST(error.find(" tokens are out of reach and were forgotten; the mask must not have lengths, segments, "
                          "ranges or single pairs any more") != std::string::npos);
  }
}

BOOST_AUTO_TEST_CASE(it_comes_back_to_what_it_was_without_new_memory) {
  const Nobody mixer;
  KeyValueState state(1, 4000, 5, mixer);
  const Tensor k = noise({1, 2, 1000, 8}, 1, f32), v = noise({1, 2, 1000, 8}, 2, f32);
  state.append(k, v);
  state.advance(1000);
  const Tensor keys = clone(state.k()), values = clone(state.v());
  State::Saved saved = state.saved();
  state.append(slice(k, 2, 0, 3), slice(v, 2, 0, 3));  // less room from here on
  state.advance(3);
  release_cache();
  const size_t limit = set_memory_limit(memory_stats().reserved);
  BOOST_CHECK_THROW(state.restore(saved), OutOfMemory);
  state.come_back(std::move(saved));
  set_memory_limit(limit);
  BOOST_TEST(state.length() == 1000);
  BOOST_TEST(same_bits(contiguous(state.k()), keys));
  BOOST_TEST(same_bits(contiguous(state.v()), values));
  state.append(slice(k, 2, 0, 3), slice(v, 2, 0, 3));  // and it goes on
  BOOST_TEST(same_bits(contiguous(slice(state.v(), 2, -3, state.keys())), contiguous(slice(v, 2, 0, 3))));
}

BOOST_AUTO_TEST_CASE(gradients_flow_into_what_is_appended_and_not_into_the_past) {
  const Nobody mixer;
  KeyValueState state(1, 20, -1, mixer);
  const Variable old = Variable::leaf(noise({1, 1, 3, 2}, 1)), now = Variable::leaf(noise({1, 1, 2, 2}, 2));
  state.appended(old, old);
  const auto [k, v] = state.appended(now, now);
  BOOST_TEST(k.shape() == (Shape{1, 1, 5, 2}));
  check_close(contiguous(slice(v.value(), 2, 0, 3)), old.value(), 0);
  (sum(k) + sum(v)).backward();
  check_close(now.grad(), full({1, 1, 2, 2}, 2, f64), 0);
  BOOST_TEST(!old.grad().defined());
  const NoGrad no_grad;
  BOOST_TEST(!state.appended(now, now).k.requires_grad());
}

BOOST_AUTO_TEST_SUITE_END()
