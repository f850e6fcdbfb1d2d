// Mutants that are wrong about what they remember.
#include "attention/key_value_state.h"
#include "autograd/ops/elementwise.h"
#include "tensor/create.h"
#include "tensor/ops/reduce.h"
#include "tests/oracle/mutants/mutant.h"

using namespace heed;

namespace {

// start() of a mixer whose states are of the kind S
template <class S> std::unique_ptr<State> start_of(WrongMixer& mixer, long batch, long max_length) {
  return std::make_unique<S>(batch, max_length, -1, mixer);
}

const RegisteredMutant forgets{{.name = "forgets its first tokens",
                                .caught_by = "chunks_of_any_size_equal_the_whole",
                                .make = wrong_core({.honest_reach = false, .reach = 5})}};

const RegisteredMutant forgets_rotated{{.name = "forgets its first tokens, rotated",
                                        .caught_by = "rotated_tokens_in_chunks_equal_the_whole",
                                        .make = wrong_core({.honest_reach = false, .reach = 5})}};

const RegisteredMutant hoards{
    {.name = "keeps what is out of sight",
     .caught_by = "a_state_keeps_only_what_can_be_seen_again",
     .spec = "window:left=3",
     .make = wrong_core({.pattern = {.pattern = {.window_left = 3, .window_right = 128}}, .honest_reach = false})}};

struct Unforgetting : KeyValueState {
  using KeyValueState::KeyValueState;
  void reset() override {
    const Tensors before = tensors();
    KeyValueState::reset();
    take(before);
  }
};
const RegisteredMutant unforgetting{{.name = "has a reset that leaves keys behind",
                                     .caught_by = "a_state_that_is_reset_starts_anew",
                                     .make = wrong_mixer(nullptr, start_of<Unforgetting>)}};

struct Unrestored : KeyValueState {
  using KeyValueState::KeyValueState;
  void take(const Tensors& from) override {
    Tensors blank;
    for (const auto& [name, tensor] : from) blank.emplace_back(name, zeros_like(tensor));
    KeyValueState::take(blank);
  }
};
const RegisteredMutant unrestored{{.name = "restores the shape of a state and not its content",
                                   .caught_by = "a_state_restored_from_its_tensors_goes_on_to_the_same_bits",
                                   .make = wrong_mixer(nullptr, start_of<Unrestored>)}};

struct Uncounted : KeyValueState {
  using KeyValueState::KeyValueState;
  Tensors tensors() const override { return {}; }
};
const RegisteredMutant uncounted{{.name = "hides the tensors of its state",
                                  .caught_by = "the_bytes_of_a_state_grow_at_most_as_the_text",
                                  .make = wrong_mixer(nullptr, start_of<Uncounted>)}};

const RegisteredMutant nothing{
    {.name = "promises a state and starts none",
     .caught_by = "what_can_decode_starts_a_state_and_what_cannot_says_so",
     .make = wrong_mixer(nullptr, [](WrongMixer&, long, long) { return std::unique_ptr<State>(); })}};

const RegisteredMutant detached{{.name = "lets no gradient into what it has just remembered",
                                 .caught_by = "gradients_with_a_state_are_slopes_too",
                                 .make = wrong_attend([](WrongCore& core, Heads heads, Mask mask, Context& ctx) {
                                   const bool remembers = heads.k.size(2) > heads.q.size(2);
                                   const Variable k = remembers ? detach(heads.k) : heads.k;
                                   return core.honest(heads.with(heads.q, k, heads.v), mask, ctx);
                                 })}};

// ---- states and calls

const RegisteredMutant overflow{{.name = "starts anew when its state is full",
                                 .caught_by = "a_state_refuses_what_does_not_fit_and_is_as_before",
                                 .make = wrong_mixer([](WrongMixer& mixer, const Variable& x, MixIn in, Context& ctx) {
                                   if (in.state && in.state->length() + x.size(1) > in.state->max_length())
                                     in.state->reset();
                                   return mixer.honest(x, in, ctx);
                                 })}};

const RegisteredMutant foreign{{.name = "ignores a state of another mixer",
                                .caught_by = "a_state_serves_only_the_mixer_that_started_it",
                                .make = wrong_mixer([](WrongMixer& mixer, const Variable& x, MixIn in, Context& ctx) {
                                  if (in.state && !in.state->is_of(mixer)) in.state = nullptr;
                                  return mixer.honest(x, in, ctx);
                                })}};

const RegisteredMutant own_memory{
    {.name = "remembers the last call in the mixer",
     .caught_by = "two_states_do_not_know_of_each_other",
     .make = wrong_mixer([](WrongMixer& mixer, const Variable& x, MixIn in, Context& ctx) {
       const double last = mixer.memory.empty() ? 0 : mean(mixer.memory[0]).item();
       mixer.memory = {x.value()};
       return mixer.honest(x, in, ctx) + last;
     })}};

const RegisteredMutant grows{{.name = "keeps a piece of memory for every token",
                              .caught_by = "decoding_a_second_text_asks_the_system_for_no_memory",
                              .make = wrong_mixer([](WrongMixer& mixer, const Variable& x, MixIn in, Context& ctx) {
                                mixer.memory.push_back(Tensor::empty({1 << 16}));
                                return mixer.honest(x, in, ctx);
                              })}};

const RegisteredMutant again{{.name = "makes keys and values of the source again",
                              .caught_by = "keys_and_values_of_a_source_are_made_once",
                              .make = wrong_mixer([](WrongMixer& mixer, const Variable& x, MixIn in, Context& ctx) {
                                if (in.source) in.state = nullptr;
                                return mixer.honest(x, in, ctx);
                              })}};

}  // namespace
