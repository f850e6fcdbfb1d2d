// Mutants that are wrong about masks, randomness or cost.
#include <random>

#include "attention/heads.h"
#include "autograd/ops/elementwise.h"
#include "autograd/ops/matmul.h"
#include "autograd/ops/softmax.h"
#include "autograd/ops/where.h"
#include "tensor/copy.h"
#include "tensor/ops/compare.h"
#include "tests/oracle/mutants/mutant.h"

using namespace heed;

namespace {

// Attention with the whole matrix of weights. A row that sees nothing gets equal weights, unless they are taken back.
Variable with_matrix(const Heads& heads, const Mask& mask, bool take_back) {
  const long H = heads.q.size(1);
  const Variable k = for_all_heads(heads.k, H), v = for_all_heads(heads.v, H);
  const Variable scores = dense_products({heads.q, k, v});
  const Tensor seen = mask.dense(heads.q.size(0), H, heads.q.size(2), k.size(2));
  const Variable weights = softmax(masked_fill(scores, logical_not(seen), -1e30));
  return matmul(take_back ? weights * Variable(cast(seen, weights.dtype())) : weights, v);
}

const RegisteredMutant lengths{{.name = "ignores lengths",
                                .caught_by = "padding_is_never_seen_and_its_rows_are_zeros",
                                .make = wrong_attend([](WrongCore& core, Heads heads, Mask mask, Context& ctx) {
                                  mask.lengths = {};
                                  return core.honest(heads, mask, ctx);
                                })}};

const RegisteredMutant segments{{.name = "ignores segments under a causal mask",
                                 .caught_by = "every_part_of_a_mask_is_honoured_or_refused",
                                 .make = wrong_attend([](WrongCore& core, Heads heads, Mask mask, Context& ctx) {
                                   if (mask.causal) mask.segments = {};
                                   return core.honest(heads, mask, ctx);
                                 })}};

const RegisteredMutant by_length{{.name = "scales by the length of the batch",
                                  .caught_by = "a_padded_batch_equals_each_sample_alone",
                                  .make = wrong_attend([](WrongCore& core, Heads heads, Mask mask, Context& ctx) {
                                    return core.honest(heads, mask, ctx) * (1 + 1e-4 * double(heads.q.size(2)));
                                  })}};

const RegisteredMutant empty_rows{{.name = "gives the mean to a query that sees nothing",
                                   .caught_by = "a_query_that_sees_nothing_collects_nothing",
                                   .make = wrong_attend([](WrongCore&, Heads heads, Mask mask, Context&) {
                                     return with_matrix(heads, mask, false);
                                   })}};

// ---- what is drawn

const RegisteredMutant without_context{{.name = "draws without the context",
                                        .caught_by = "training_evaluation_and_a_mixer_made_again_give_the_same",
                                        .make = wrong_attend([](WrongCore& core, Heads heads, Mask mask, Context& ctx) {
                                          static std::mt19937 draws(1);
                                          return core.honest(heads, mask, ctx) * (1 + 1e-9 * double(draws()));
                                        })}};

const RegisteredMutant by_seed{{.name = "has another pattern in training than in evaluation",
                                .caught_by = "training_evaluation_and_a_mixer_made_again_give_the_same",
                                .make = wrong_attend([](WrongCore& core, Heads heads, Mask mask, Context& ctx) {
                                  return core.honest(heads, mask & window_mask(20 + long(ctx.seed), -1), ctx);
                                })}};

const RegisteredMutant evaluation{{.name = "drops weights in evaluation too",
                                   .caught_by = "dropout_is_drawn_by_seed_step_and_sample_and_only_in_training",
                                   .make = wrong_attend([](WrongCore& core, Heads heads, Mask mask, Context& ctx) {
                                     const bool train = std::exchange(ctx.train, true);
                                     const Variable o = core.honest(heads, mask, ctx);
                                     ctx.train = train;
                                     return o;
                                   })}};

const RegisteredMutant by_row{{.name = "draws dropout by the row of the batch",
                               .caught_by = "dropout_is_drawn_by_seed_step_and_sample_and_only_in_training",
                               .make = wrong_attend([](WrongCore& core, Heads heads, Mask mask, Context& ctx) {
                                 const uint32_t first = std::exchange(ctx.first_sample, 0);
                                 const Variable o = core.honest(heads, mask, ctx);
                                 ctx.first_sample = first;
                                 return o;
                               })}};

const RegisteredMutant never_drops{{.name = "promises dropout and drops nothing",
                                    .caught_by = "dropout_is_drawn_by_seed_step_and_sample_and_only_in_training",
                                    .make = [](const std::string& spec, MixerOptions sizes) {
                                      sizes.dropout = 0;
                                      return make_mixer(spec, sizes);
                                    }}};

// ---- cost

const RegisteredMutant matrix{{.name = "holds the whole matrix of weights",
                               .caught_by = "memory_grows_as_declared",
                               .make = wrong_attend([](WrongCore&, Heads heads, Mask mask, Context&) {
                                 return with_matrix(heads, mask, true);
                               })}};

const RegisteredMutant all_tiles{{.name = "looks at every tile and hides what is out of the window",
                                  .caught_by = "work_grows_as_declared",
                                  .spec = "window",
                                  .make = wrong_core({})}};

}  // namespace
