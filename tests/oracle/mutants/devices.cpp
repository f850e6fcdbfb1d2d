// Mutants that know one device only.
#include "autograd/ops/elementwise.h"
#include "tensor/create.h"
#include "tensor/ops/reduce.h"
#include "tests/oracle/mutants/mutant.h"

using namespace heed;

namespace {

const RegisteredMutant host_tensor{{.name = "makes a tensor without asking for the device",
                                    .caught_by = "the_same_bits_on_any_device",
                                    .make = wrong_attend([](WrongCore& core, Heads heads, Mask mask, Context& ctx) {
                                      const Variable v = heads.v + Variable(zeros(heads.v.shape(), heads.v.dtype()));
                                      return core.honest(heads.with(heads.q, heads.k, v), mask, ctx);
                                    })}};

const RegisteredMutant reading{{.name = "looks at its queries on the host for every token",
                                .caught_by = "decoding_gives_the_same_bits_on_any_device",
                                .make = wrong_attend([](WrongCore& core, Heads heads, Mask mask, Context& ctx) {
                                  const double largest = heads.q.numel() ? max(heads.q.value()).item() : 0;
                                  const Variable q = largest > 1e30 ? heads.q * 0.5 : heads.q;
                                  return core.honest(heads.with(q, heads.k, heads.v), mask, ctx);
                                })}};

// As a kernel that rounds to fewer digits than its twin, or leaves out a term
Variable less_exact(WrongCore& core, const Heads& heads, const Mask& mask, Context& ctx) {
  const Variable o = core.honest(heads, mask, ctx);
  return heads.q.value().device() == cpu ? o : o * (1 + 1e-6);
}

const RegisteredMutant other_numbers{{.name = "is a little off on cuda, in training",
                                      .caught_by = "the_same_numbers_on_cuda",
                                      .make = wrong_attend(less_exact),
                                      .needs_cuda = true}};

const RegisteredMutant other_words{{.name = "is a little off on cuda, token by token",
                                    .caught_by = "decoding_gives_the_same_numbers_on_cuda",
                                    .make = wrong_attend([](WrongCore& core, Heads heads, Mask mask, Context& ctx) {
                                      return heads.q.size(2) == 1 ? less_exact(core, heads, mask, ctx)
                                                                  : core.honest(heads, mask, ctx);
                                    }),
                                    .needs_cuda = true}};

}  // namespace
