// Properties of the property suite: values and weights are those of the formula.
#include <cmath>

#include "autograd/ops/views.h"
#include "tensor/create.h"
#include "tensor/ops/compare.h"
#include "tensor/ops/elementwise.h"
#include "tensor/ops/reduce.h"
#include "tests/oracle/suite.h"
#include "tests/support/compare.h"
#include "tests/support/on_threads.h"

using namespace heed;

namespace {

// Edges of tiles and of vector registers, a prime, and both sides of 256
std::vector<long> lengths(const Trial& trial) {
  return trial.many ? std::vector<long>{0, 1, 2, 31, 32, 33, 64, 65, 127, 255, 256, 257}
                    : std::vector<long>{1, 33, 65, 127};
}

void check_values(const Trial& trial, Mixer& mixer, const Tensor& x, const Mask& mask, Findings& found) {
  const NoGrad no_grad;
  Context ctx;
  const OracleCase c = trial.oracle_case(mixer, mask, f64);
  found.close("y", run(mixer, x, {.mask = mask}, ctx).value(), dense_attention(*trial.oracle, c, x).out.value(),
              kExact);
}

const RegisteredProperty values{
    {.name = "values_are_those_of_the_dense_computation", .check = [](const Trial& trial, Findings& found) {
       const auto mixer = trial.mixer();
       for (long T : lengths(trial))
         for (bool causal : trial.causal_or_not()) {
           const auto at = found.at("T ", T, causal ? ", causal" : "");
           check_values(trial, *mixer, trial.x(2, T), causal_if(causal), found);
         }
     }}};

const RegisteredProperty sizes{
    {.name = "heads_and_widths_may_be_any", .check = [](const Trial& trial, Findings& found) {
       for (const MixerOptions& sizes : trial.oracle->other_sizes) {
         const auto at = found.at("C ", sizes.C, ", heads ", sizes.heads);
         Trial other = trial;
         other.sizes = complete(sizes);
         check_values(other, *other.mixer(), other.x(2, 19), causal_if(trial.can.causal), found);
       }
     }}};

bool has_weights(const Trial& trial) {
  const NoGrad no_grad;
  const auto mixer = trial.mixer();
  const OracleCase c = trial.oracle_case(*mixer, {}, f64);
  return dense_attention(*trial.oracle, c, trial.x(1, 3)).weights.defined();
}

void check_weights(const Trial& trial, Mixer& mixer, const Mask& mask, Findings& found) {
  const NoGrad no_grad;
  Context ctx;
  const Tensor x = trial.x(2, 21);
  const OracleCase c = trial.oracle_case(mixer, mask, f64);
  const Tensor weights = mixer.weights(x, {.mask = mask}, ctx);
  found.close("weights", weights, dense_attention(*trial.oracle, c, x).weights.value(), kExact);
  if (!trial.oracle->sees) return;
  const Tensor seen = cast(dense_visible(mask, trial.oracle->sees(c), weights.shape()), f64);
  found.close("weights above zero", cast(greater(weights, scalar(0, f64)), f64), seen, 0);
  found.close("sums of weights", sum(weights, {-1}), max(seen, {-1}), kExact);
}

const RegisteredProperty weights{
    {.name = "weights_sum_to_one_or_zero_and_are_zero_where_nothing_is_seen",
     .does_not_apply = [](const Trial& trial) -> std::string { return has_weights(trial) ? "" : "it has no weights"; },
     .check =
         [](const Trial& trial, Findings& found) {
           const auto mixer = trial.mixer();
           for (bool causal : trial.causal_or_not()) {
             const auto at = found.at(causal ? "causal" : "no mask");
             check_weights(trial, *mixer, causal_if(causal), found);
             if (trial.can.pairs)
               check_weights(trial, *mixer,
                             causal_if(causal) & allow_mask(greater(noise({2, 1, 21, 21}), scalar(0, f64))), found);
           }
         }}};

// Those who do not see a token have the same bits whatever it is.
const RegisteredProperty only_those_who_see{
    {.name = "a_token_changes_only_those_who_see_it",
     .does_not_apply = [](const Trial& trial) -> std::string {
       return !trial.oracle->sees ? "its oracle tells no pairs" : trial.can.widens ? "it adds nodes that see all" : "";
     },
     .check =
         [](const Trial& trial, Findings& found) {
           const NoGrad no_grad;
           Context ctx;
           const long T = 70, H = trial.sizes.heads;
           const auto mixer = trial.mixer(f32);
           const Sees sees = trial.sees();
           const Tensor x = trial.x(1, T, f32), before = run(*mixer, x, {}, ctx).value();
           for (long t : {0, 33, 69}) {
             const Tensor other = clone(x);
             fill(slice(other, 1, t, t + 1), 3);
             const Tensor after = run(*mixer, other, {}, ctx).value();
             for (long i = 0; i < T; i++) {
               bool seen = i == t;
               for (long h = 0; h < H; h++) seen = seen || sees({h, i, t, T});
               found.check(same_bits(rows(after, i, i + 1), rows(before, i, i + 1)) == !seen, "query ", i,
                           seen ? " sees token " : " does not see token ", t,
                           seen ? " and ignores it" : " and changes");
             }
           }
         }}};

const RegisteredProperty alone{
    {.name = "samples_of_a_batch_do_not_know_of_each_other", .check = [](const Trial& trial, Findings& found) {
       const auto mixer = trial.mixer(f32);
       Context ctx;
       const Tensor x = trial.x(3, 40, f32), other = clone(x);
       fill(slice(other, 0, 0, 2), 3);
       const Results before = results(*mixer, x, Mask(), ctx), after = results(*mixer, other, Mask(), ctx);
       found.same("the last sample", sample(after.y, 2), sample(before.y, 2));
       found.same("its gradient", sample(after.dx, 2), sample(before.dx, 2));
       found.check(!same_bits(sample(after.y, 1), sample(before.y, 1)), "x changes nothing");
     }}};

const RegisteredProperty threads{
    {.name = "bits_do_not_depend_on_threads", .check = [](const Trial& trial, Findings& found) {
       MixerOptions sizes = trial.sizes;
       sizes.dropout = 0.2;
       const auto mixer = trial.mixer(f32, sizes);
       const Tensor x = trial.x(3, 150, f32);
       const auto once = [&] {
         Context ctx;
         ctx.train = true;
         return results(*mixer, x, causal_if(trial.can.causal), ctx);
       };
       const Results first = once();
       for (int count : {1, 2, 3})
         on_threads(count, [&] {
           const auto at = found.at(count, " threads");
           const Results again = once();
           found.same("y", again.y, first.y);
           found.same("dx", again.dx, first.dx);
           for (const auto& [path, gradient] : first.gradients) found.same(path, again.gradients.at(path), gradient);
         });
     }}};

const RegisteredProperty source{
    {.name = "queries_may_come_from_another_sequence_or_a_source_is_refused",
     .check = [](const Trial& trial, Findings& found) {
       const NoGrad no_grad;
       Context ctx;
       const auto mixer = trial.mixer();
       if (!trial.can.cross) {
         const Variable other(trial.x(2, 3));
         found.refuses(
             "a source", [&] { run(*mixer, trial.x(2, 3), {.source = &other}, ctx); },
             "a source was given; it mixes the tokens of one sequence and takes no keys from another");
         return;
       }
       for (auto [T, S] : {std::pair{1L, 65L}, {33, 5}, {64, 31}, {3, 3}, {2, 0}}) {
         const auto at = found.at(T, " tokens from ", S);
         const Tensor x = trial.x(2, T), y = trial.x(2, S, f64, 2);
         const Variable source(y);
         std::vector<Mask> masks = {Mask()};
         if (trial.can.padding) masks.push_back(length_mask(tensor({double(S), double(S / 2)}, i64)));
         if (trial.can.causal) masks.push_back(causal_mask());
         for (const Mask& mask : masks) {
           const OracleCase c = trial.oracle_case(*mixer, mask, f64);
           const DenseAttention want = dense_attention(*trial.oracle, c, x, y);
           found.close("y", run(*mixer, x, {.source = &source, .mask = mask}, ctx).value(), want.out.value(), kExact);
           if (want.weights.defined())
             found.close("weights", mixer->weights(x, {.source = &source, .mask = mask}, ctx), want.weights.value(),
                         kExact);
         }
       }
     }}};

// Parameters that both have are copied by path; prepare sets those that only one has.
void check_equal(const Trial& trial, const OracleEqual& same, Findings& found) {
  const Trial other(same.full, all_oracles.find(find_variant(same.full).name));
  const auto mixer = Trial(same.spec, *trial.oracle, trial.make).mixer(), full = other.mixer(f64, trial.sizes);
  if (same.prepare) same.prepare(*mixer);
  for (Parameter* p : full->parameters())
    if (const Tensor value = parameter_of(*mixer, p->path); value.defined()) p->value.set_value(value);
  for (long T : {1, 5, 63, 64, 65, 100, 128})
    for (bool causal : trial.causal_or_not()) {
      if (T > same.longest || (same.only_causal && !causal)) continue;
      const auto at = found.at(same.spec, " and ", same.full, ", T ", T);
      Context ctx;
      const Results got = results(*mixer, trial.x(2, T), causal_if(causal), ctx),
                    want = results(*full, trial.x(2, T), causal_if(causal), ctx);
      found.close("y", got.y, want.y, kExact);
      found.close("dx", got.dx, want.dx, kExact);
      for (const auto& [path, gradient] : want.gradients)
        if (got.gradients.count(path)) found.close(path, got.gradients.at(path), gradient, kExact);
    }
}

const RegisteredProperty equal_full{{.name = "specs_that_see_all_equal_full",
                                     .does_not_apply = [](const Trial& trial) -> std::string {
                                       if (trial.spec != trial.variant) return "it is tried once for all specs";
                                       return trial.oracle->equal_full.empty() ? "none of its specs does" : "";
                                     },
                                     .check =
                                         [](const Trial& trial, Findings& found) {
                                           for (const OracleEqual& same : trial.oracle->equal_full)
                                             check_equal(trial, same, found);
                                         }}};

const RegisteredProperty longest{{.name = "beyond_its_largest_length_a_mixer_refuses",
                                  .does_not_apply = [](const Trial& trial) -> std::string {
                                    return trial.can.needs_max_length ? "" : "it has no largest length";
                                  },
                                  .check =
                                      [](const Trial& trial, Findings& found) {
                                        MixerOptions sizes = trial.sizes;
                                        sizes.max_length = 64;
                                        const auto mixer = trial.mixer(f64, sizes);
                                        Context ctx;
                                        found.check(run(*mixer, trial.x(1, 64), {}, ctx).size(1) == 64,
                                                    "64 of 64 tokens");
                                        found.refuses(
                                            "65 of 64 tokens", [&] { run(*mixer, trial.x(1, 65), {}, ctx); },
                                            "tokens were given; it was made for at most 64 (max_length)");
                                      }}};

}  // namespace
