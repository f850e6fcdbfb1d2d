// Properties of the property suite: decoding with a State. Tokens in chunks equal the whole, and a state holds what it
// needs and no more.
#include "tensor/allocator.h"
#include "tensor/copy.h"
#include "tensor/create.h"
#include "tensor/ops/elementwise.h"
#include "tensor/ops/reduce.h"
#include "tests/oracle/suite.h"
#include "tests/support/compare.h"

using namespace heed;

namespace {

// f32: the same sums in another order, whose terms are about as large as the largest result
double rounding(const Tensor& whole) { return 1e-5 * std::max(1.0, max(abs(whole)).item()); }

std::string no_state(const Trial& trial) { return trial.can.decode ? "" : "it has no State"; }

Tensor step(Mixer& mixer, State& state, const Tensor& x) {
  Context ctx;
  return run(mixer, x, {.mask = causal_mask(), .state = &state}, ctx).value();
}

Tensor whole_pass(Mixer& mixer, const Tensor& x) {
  const NoGrad no_grad;
  Context ctx;
  return run(mixer, x, {.mask = causal_mask()}, ctx).value();
}

// What the tokens begin .. end of x must give when they are taken in as one chunk: their rows of the pass over the
// whole, or, where choices are made anew for every chunk, over all that has come so far.
Tensor expected(const Trial& trial, Mixer& mixer, const Tensor& x, const Tensor& whole, long begin, long end) {
  return trial.can.any_cut ? rows(whole, begin, end) : rows(whole_pass(mixer, rows(x, 0, end)), begin, end);
}

// Passes x (B, T, C) through the state in chunks of these sizes, again and again.
void check_chunks(const Trial& trial, Mixer& mixer, State& state, const Tensor& x, const std::vector<long>& sizes,
                  Findings& found) {
  const Tensor whole = whole_pass(mixer, x);
  size_t next = 0;
  for (long at = 0, T = x.size(1), end; at < T; at = end) {
    end = std::min(T, at + sizes[next++ % sizes.size()]);
    const auto where = found.at("tokens ", at, " to ", end);
    found.close("y", step(mixer, state, rows(x, at, end)), expected(trial, mixer, x, whole, at, end), rounding(whole));
    found.check(state.length() == end, "the state says ", state.length(), " tokens");
  }
}

const RegisteredProperty chunks{{.name = "chunks_of_any_size_equal_the_whole",
                                 .does_not_apply = no_state,
                                 .check = [](const Trial& trial, Findings& found) {
                                   const long T =
                                       trial.can.any_cut ? 260 : 90;  // longer than the ring buffers of short windows
                                   const auto mixer = trial.mixer(f32);
                                   const Tensor x = trial.x(2, T, f32);
                                   std::vector<std::vector<long>> cuts = {{70, 1, 1, 33}, {2, 0, 129}};
                                   if (trial.many) cuts.insert(cuts.end(), {{1, 3, 1, 2}, {T}});
                                   for (bool grad : {false, true}) {
                                     const Recording recording(grad);
                                     const auto at = found.at(grad ? "with gradients" : "without gradients");
                                     for (const std::vector<long>& sizes : cuts)
                                       check_chunks(trial, *mixer, *mixer->start(2, T), x, sizes, found);
                                   }
                                 }}};

const RegisteredProperty anew{{.name = "a_state_that_is_reset_starts_anew",
                               .does_not_apply = no_state,
                               .check = [](const Trial& trial, Findings& found) {
                                 const NoGrad no_grad;
                                 const auto mixer = trial.mixer(f32);
                                 const auto state = mixer->start(1, 80);
                                 for (uint32_t seed : {1, 2, 3}) {
                                   const auto at = found.at("text ", seed);
                                   check_chunks(trial, *mixer, *state, trial.x(1, 80, f32, seed), {50, 1, 20}, found);
                                   state->reset();
                                   found.check(state->length() == 0, "the length is not 0");
                                 }
                               }}};

const RegisteredProperty refused{
    {.name = "a_state_refuses_what_does_not_fit_and_is_as_before",
     .does_not_apply = no_state,
     .check = [](const Trial& trial, Findings& found) {
       const NoGrad no_grad;
       const auto mixer = trial.mixer(f32);
       const Tensor x = trial.x(2, 9, f32), whole = whole_pass(*mixer, x);
       const auto state = mixer->start(2, 9);
       step(*mixer, *state, rows(x, 0, 7));
       found.refuses(
           "too many tokens", [&] { step(*mixer, *state, rows(x, 0, 3)); },
           "state: 3 tokens were given after 7; it holds at most 9. Start a longer one: start(batch, "
           "max_length)");
       found.refuses(
           "another batch", [&] { step(*mixer, *state, trial.x(3, 1, f32)); },
           "state: it was started for a batch of 2 and got one of 3");
       if (trial.can.padding) {
         Context ctx;
         const Mask wrong = causal_mask() & length_mask(tensor({9, 9, 9}, i64));
         found.refuses(
             "lengths of another batch",
             [&] { run(*mixer, rows(x, 7, 9), {.mask = wrong, .state = state.get()}, ctx); }, "lengths must be (B,)");
       }
       found.close("y", step(*mixer, *state, rows(x, 7, 9)), rows(whole, 7, 9), rounding(whole));
     }}};

// A state that no mixer started
struct Nobody : Module {};
struct Foreign : Nobody, State {
  Foreign() : State(1, 8, static_cast<Nobody&>(*this)) {}
  Tensors tensors() const override { return {}; }
  void take(const Tensors&) override {}
};

const RegisteredProperty owned{{.name = "a_state_serves_only_the_mixer_that_started_it",
                                .does_not_apply = no_state,
                                .check = [](const Trial& trial, Findings& found) {
                                  Foreign foreign;
                                  const auto mixer = trial.mixer(f32), twin = trial.mixer(f32);
                                  const auto of_twin = twin->start(1, 8);
                                  for (State* state : {static_cast<State*>(&foreign), of_twin.get()})
                                    found.refuses(
                                        "a state of another", [&] { step(*mixer, *state, trial.x(1, 2, f32)); },
                                        "state: it was started by another mixer; each has its own");
                                }}};

const RegisteredProperty apart{{.name = "two_states_do_not_know_of_each_other",
                                .does_not_apply = no_state,
                                .check = [](const Trial& trial, Findings& found) {
                                  const NoGrad no_grad;
                                  const auto mixer = trial.mixer(f32);
                                  const Tensor x = trial.x(1, 20, f32), y = trial.x(1, 20, f32, 2);
                                  const auto alone = mixer->start(1, 20), of_x = mixer->start(1, 20),
                                             of_y = mixer->start(1, 40);
                                  for (long t = 0; t < 20; t++) {
                                    const Tensor want = step(*mixer, *alone, rows(x, t, t + 1));
                                    found.same("y", step(*mixer, *of_x, rows(x, t, t + 1)), want);
                                    step(*mixer, *of_y, rows(y, t, t + 1));
                                  }
                                }}};

const RegisteredProperty restored{
    {.name = "a_state_restored_from_its_tensors_goes_on_to_the_same_bits",
     .does_not_apply = no_state,
     .check = [](const Trial& trial, Findings& found) {
       const NoGrad no_grad;
       const auto mixer = trial.mixer(f32);
       const Tensor x = trial.x(2, 90, f32);
       for (long cut : {0, 1, 33, 70}) {
         const auto at = found.at("after ", cut);
         const auto state = mixer->start(2, 90), copy = mixer->start(2, 90);
         if (cut > 0) step(*mixer, *state, rows(x, 0, cut));
         State::Tensors saved;
         for (const auto& [name, tensor] : state->tensors()) saved.emplace_back(name, clone(tensor));
         step(*mixer, *copy, trial.x(2, 5, f32, 2));  // what it held before does not matter
         copy->restore(state->length(), saved);
         found.check(copy->length() == cut, "the length is ", copy->length());
         for (auto [begin, end] : {std::pair{cut, cut + 1}, {cut + 1, cut + 17}})
           found.same("y", step(*mixer, *copy, rows(x, begin, end)), step(*mixer, *state, rows(x, begin, end)));
       }
     }}};

// How far back a causal query looks in 300 tokens, by the oracle; all of it if that tells no pairs
long furthest_back(const Trial& trial) {
  const long S = 300;
  if (!trial.oracle->sees) return S;
  const Sees sees = trial.sees();
  long furthest = 0;
  for (long h = 0; h < trial.sizes.heads; h++)
    for (long i = 0; i < S; i++)
      for (long j = 0; j < i - furthest; j++)
        if (sees({h, i, j, S})) furthest = i - j;
  return furthest;
}

const RegisteredProperty reach{{.name = "a_state_keeps_only_what_can_be_seen_again",
                                .does_not_apply = [](const Trial& trial) -> std::string {
                                  if (!trial.can.decode) return "it has no State";
                                  const bool all = !trial.can.bounded && furthest_back(trial) > 150;
                                  return all ? "a query may look back to the first token" : "";
                                },
                                .check =
                                    [](const Trial& trial, Findings& found) {
                                      const NoGrad no_grad;
                                      const auto mixer = trial.mixer(f32);
                                      found.check(trial.can.bounded,
                                                  "it does not promise to be bounded, and looks back ",
                                                  furthest_back(trial), " tokens at most");
                                      const auto bytes = [&](long prompt, long max_length) {
                                        const Tensor x = trial.x(1, prompt, f32), token = trial.x(1, 1, f32);
                                        const size_t before = memory_stats().live;
                                        const auto state = mixer->start(1, max_length);
                                        step(*mixer, *state, x);
                                        for (long t = 0; t < 700; t++) step(*mixer, *state, token);
                                        return memory_stats().live - before;
                                      };
                                      const size_t few = bytes(1, 5000);
                                      found.check(few == bytes(1, 100000), "a longer text to come needs other memory");
                                      found.check(few == bytes(4000, 5000), "a longer prompt needs other memory");
                                    }}};

// A state is O(1), or O(n) as keys and values are: never more.
const RegisteredProperty bytes{{.name = "the_bytes_of_a_state_grow_at_most_as_the_text",
                                .does_not_apply = no_state,
                                .check = [](const Trial& trial, Findings& found) {
                                  const NoGrad no_grad;
                                  const auto mixer = trial.mixer(f32);
                                  const auto after = [&](long tokens) {
                                    const auto state = mixer->start(1, 1000);
                                    step(*mixer, *state, trial.x(1, tokens, f32));
                                    return state->bytes();
                                  };
                                  const long once = after(100), twice = after(200);
                                  found.check(once > 0, "it counts no tensors");
                                  found.check(once <= twice && twice <= 2 * once, "100 tokens have ", once,
                                              " bytes and 200 have ", twice);
                                }}};

// Everything comes from what the allocator has in its bins.
const RegisteredProperty second_text{{.name = "decoding_a_second_text_asks_the_system_for_no_memory",
                                      .does_not_apply = no_state,
                                      .check = [](const Trial& trial, Findings& found) {
                                        const NoGrad no_grad;
                                        const auto mixer = trial.mixer(f32);
                                        const Tensor token = trial.x(1, 1, f32);
                                        const auto state = mixer->start(1, 200);
                                        const auto write = [&] {
                                          state->reset();
                                          for (long t = 0; t < 200; t++) step(*mixer, *state, token);
                                          return memory_stats().driver_calls;
                                        };
                                        const long before = write();
                                        found.check(write() == before, "it asked for memory");
                                      }}};

const RegisteredProperty source{
    {.name = "keys_and_values_of_a_source_are_made_once",
     .does_not_apply = [](const Trial& trial) -> std::string {
       return !trial.can.decode ? "it has no State" : trial.can.cross ? "" : "it takes no source";
     },
     .check =
         [](const Trial& trial, Findings& found) {
           const NoGrad no_grad;
           Context ctx;
           const auto mixer = trial.mixer(f32);
           const Tensor x = trial.x(2, 7, f32);
           const Variable source(trial.x(2, 33, f32, 2)), nothing_new(zeros({2, 33, trial.C()}));
           const Mask mask = trial.can.padding ? length_mask(tensor({33, 20}, i64)) : Mask();
           const auto state = mixer->start(2, 7);
           for (long t = 0; t < 7; t++) {
             const Tensor token = rows(x, t, t + 1);
             const Tensor want = run(*mixer, token, {.source = &source, .mask = mask}, ctx).value();
             const MixIn in{.source = t == 0 ? &source : &nothing_new, .mask = mask, .state = state.get()};
             found.close("y", run(*mixer, token, in, ctx).value(), want, rounding(want));
           }
         }}};

const RegisteredProperty told{{.name = "what_can_decode_starts_a_state_and_what_cannot_says_so",
                               .check = [](const Trial& trial, Findings& found) {
                                 const auto mixer = trial.mixer(f32);
                                 if (trial.can.decode) {
                                   found.check(mixer->start(1, 8) != nullptr, "there is none");
                                   return;
                                 }
                                 Foreign foreign;
                                 Context ctx;
                                 found.refuses(
                                     "start", [&] { mixer->start(1, 8); }, "token-by-token decoding is not defined");
                                 found.refuses(
                                     "a state", [&] { run(*mixer, trial.x(1, 2, f32), {.state = &foreign}, ctx); },
                                     "a state was given; it keeps none");
                               }}};

}  // namespace
