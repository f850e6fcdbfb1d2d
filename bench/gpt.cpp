#include "bench/gpt.h"

#include "autograd/ops/cross_entropy.h"
#include "bench/kernels.h"
#include "tensor/views.h"

namespace heed::bench {
namespace {

constexpr long kBytes = 256;  // V

}  // namespace

GptOptions options_of(const GptSizes& s) {
  return {.V = kBytes,
          .stack = {.C = s.width,
                    .heads = s.heads,
                    .ordering = repeated("sf", s.layers),
                    .max_length = s.T,
                    .recompute_blocks = s.recompute_blocks,
                    .reversible = s.reversible}};
}

double product_weights(const GptSizes& s) { return double(12 * s.layers * s.width * s.width + kBytes * s.width); }

TrainingStep::TrainingStep(const GptSizes& s)
    : model_(options_of(s)),
      arena_((model_.initialise(1), model_)),
      optimiser_(arena_, {.beta2 = 0.98, .weight_decay = 0.1, .clip = 1}),
      ids_(reshape(random_ids(s.B * s.T, kBytes), {s.B, s.T})),
      targets_(ids_) {
  ctx_.train = true;
}

void TrainingStep::run() {
  constexpr double kRate = 1e-3;
  arena_.zero_gradients();
  ctx_.begin(uint32_t(optimiser_.steps() + 1));
  cross_entropy(model_.forward(ids_, ctx_), targets_).backward();
  ctx_.forget_decisions();
  optimiser_.step(kRate);
}

Action training_step(const GptSizes& s) {
  return [step = std::make_shared<TrainingStep>(s)] { step->run(); };
}

}  // namespace heed::bench
