// Mutants whose outputs or gradients are wrong.
#include "attention/heads.h"
#include "autograd/ops/bf16.h"
#include "autograd/ops/concatenate.h"
#include "autograd/ops/elementwise.h"
#include "autograd/ops/gather.h"
#include "autograd/ops/matmul.h"
#include "autograd/ops/reduce.h"
#include "autograd/ops/softmax.h"
#include "autograd/ops/where.h"
#include "system/parallel.h"
#include "tensor/copy.h"
#include "tensor/create.h"
#include "tensor/ops/compare.h"
#include "tensor/views.h"
#include "tests/oracle/mutants/mutant.h"

using namespace heed;

namespace {

// ---- values

const RegisteredMutant zero_key{
    {.name = "adds a hidden key of zeros",
     .caught_by = "values_are_those_of_the_dense_computation",
     .make = wrong_attend([](WrongCore& core, Heads heads, Mask mask, Context& ctx) {
       const auto with_zero = [](const Variable& x) {
         return concatenate({Variable(zeros({x.size(0), x.size(1), 1, x.size(3)}, x.dtype())), x}, 2);
       };
       const Variable k = with_zero(heads.k), v = with_zero(heads.v);
       return core.honest(heads.with(heads.q, k, v), mask, ctx);
     })}};

const RegisteredMutant off_by_one{
    {.name = "has a window that is one too long",
     .caught_by = "a_token_changes_only_those_who_see_it",
     .spec = "window:left=3",
     .make = wrong_core({.pattern = {.pattern = {.window_left = 4, .window_right = 128}}})}};

const RegisteredMutant key_heads{{.name = "takes turns with the heads of keys",
                                  .caught_by = "heads_and_widths_may_be_any",
                                  .make = wrong_attend([](WrongCore& core, Heads heads, Mask mask, Context& ctx) {
                                    std::vector<int64_t> order;
                                    for (long h = 0; h < heads.q.size(1); h++) order.push_back(h % heads.k.size(1));
                                    const Tensor from = from_vector(order, {long(order.size())});
                                    const Variable k = index_select(heads.k, 1, from),
                                                   v = index_select(heads.v, 1, from);
                                    return core.honest(heads.with(heads.q, k, v), mask, ctx);
                                  })}};

const RegisteredMutant temperature{{.name = "has another temperature",
                                    .caught_by = "specs_that_see_all_equal_full",
                                    .make = wrong_attend([](WrongCore& core, Heads heads, Mask mask, Context& ctx) {
                                      const Variable q = heads.q * 1.001;
                                      return core.honest(heads.with(q, heads.k, heads.v), mask, ctx);
                                    })}};

const RegisteredMutant weights{{.name = "shows weights without the mask",
                                .caught_by = "weights_sum_to_one_or_zero_and_are_zero_where_nothing_is_seen",
                                .make = wrong_core({.weights_ignore_the_mask = true})}};

const RegisteredMutant batch{{.name = "depends on the other samples of the batch",
                              .caught_by = "samples_of_a_batch_do_not_know_of_each_other",
                              .make = wrong_attend([](WrongCore& core, Heads heads, Mask mask, Context& ctx) {
                                const Variable v = heads.v - mean(heads.v, {0}, true) * 1e-3;
                                return core.honest(heads.with(heads.q, heads.k, v), mask, ctx);
                              })}};

const RegisteredMutant source{{.name = "ignores the source",
                               .caught_by = "queries_may_come_from_another_sequence_or_a_source_is_refused",
                               .make = wrong_mixer([](WrongMixer& mixer, const Variable& x, MixIn in, Context& ctx) {
                                 in.source = nullptr, in.mask = {};
                                 return mixer.honest(x, in, ctx);
                               })}};

const RegisteredMutant threaded{{.name = "divides its work by threads",
                                 .caught_by = "bits_do_not_depend_on_threads",
                                 .make = wrong_attend([](WrongCore& core, Heads heads, Mask mask, Context& ctx) {
                                   return core.honest(heads, mask, ctx) * (1 + 1e-6 * threads());
                                 })}};

const RegisteredMutant largest{{.name = "knows no largest length",
                                .caught_by = "beyond_its_largest_length_a_mixer_refuses",
                                .spec = "learned-map",
                                .make = [](const std::string& spec, const MixerOptions& sizes) {
                                  return find_variant(spec).make(options_of(spec),
                                                                 complete(sizes));  // nobody introduces it
                                }}};

const RegisteredMutant unrotated{{.name = "does not rotate by positions",
                                  .caught_by = "rotary_positions_rotate_queries_and_keys_or_are_refused",
                                  .make = [](const std::string& spec, MixerOptions sizes) {
                                    sizes.rotary = false;
                                    return make_mixer(spec, sizes);
                                  }}};

// ---- gradients

const RegisteredMutant detached{{.name = "has no gradient for keys",
                                 .caught_by = "gradients_are_those_of_the_dense_computation",
                                 .make = wrong_attend([](WrongCore& core, Heads heads, Mask mask, Context& ctx) {
                                   const Variable k = detach(heads.k);
                                   return core.honest(heads.with(heads.q, k, heads.v), mask, ctx);
                                 })}};

const RegisteredMutant doubled{{.name = "counts the gradient of queries twice",
                                .caught_by = "gradients_are_slopes_along_any_direction",
                                .make = wrong_attend([](WrongCore& core, Heads heads, Mask mask, Context& ctx) {
                                  const Variable q = heads.q * 2 - detach(heads.q);
                                  return core.honest(heads.with(q, heads.k, heads.v), mask, ctx);
                                })}};

const RegisteredMutant idle{{.name = "has a parameter that nothing uses",
                             .caught_by = "every_parameter_has_a_gradient",
                             .make = wrong_core({.idle_parameter = true})}};

const RegisteredMutant rounded{{.name = "rounds keys to bf16",
                                .caught_by = "f32_is_as_exact_as_the_plain_formula_in_f32",
                                .make = wrong_attend([](WrongCore& core, Heads heads, Mask mask, Context& ctx) {
                                  const Variable k = heads.k.dtype() == f32 ? bf16_operand(heads.k, true) : heads.k;
                                  return core.honest(heads.with(heads.q, k, heads.v), mask, ctx);
                                })}};

// ---- causality

const RegisteredMutant ahead{{.name = "looks one token ahead",
                              .caught_by = "a_later_token_changes_no_bit_before_it",
                              .make = wrong_attend([](WrongCore& core, Heads heads, Mask mask, Context& ctx) {
                                if (mask.causal) mask.causal = false, mask.window_right = 1;
                                return core.honest(heads, mask, ctx);
                              })}};

const RegisteredMutant centred{{.name = "centres values by the mean of the sequence",
                                .caught_by = "a_later_token_changes_no_bit_before_it",
                                .make = wrong_attend([](WrongCore& core, Heads heads, Mask mask, Context& ctx) {
                                  const Variable v = heads.v - mean(heads.v, {2}, true) * 1e-4;
                                  return core.honest(heads.with(heads.q, heads.k, v), mask, ctx);
                                })}};

const RegisteredMutant chooses{{.name = "makes choices from later tokens and calls itself strictly causal",
                                .caught_by = "a_later_token_changes_no_bit_before_it",
                                .make = wrong_attend([](WrongCore& core, Heads heads, Mask mask, Context& ctx) {
                                  const Tensor first = select(select(heads.k.value(), 1, 0), 2, 0);
                                  if (first.size(1) == 0) return core.honest(heads, mask, ctx);
                                  const Tensor sides = cast(greater(first, mean(first, {1}, true)), i64);
                                  return core.honest(heads, mask & segment_mask(sides), ctx);
                                })}};

// Outputs are right to the last bit: only backward sees all values at once.
const RegisteredMutant leak{{.name = "leaks the future in backward alone",
                             .caught_by = "gradients_before_a_token_do_not_know_of_later_ones",
                             .make = wrong_attend([](WrongCore& core, Heads heads, Mask mask, Context& ctx) {
                               const Variable o = core.honest(heads, mask, ctx);
                               const Variable all = mean(for_all_heads(heads.v, o.size(1)), {2}, true) * 1e-3;
                               return o + (all - detach(all));
                             })}};

}  // namespace
