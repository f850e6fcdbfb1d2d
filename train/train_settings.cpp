#include "train/train_settings.h"

#include <algorithm>

#include "system/error.h"
#include "system/text.h"

namespace heed {

SettingTable training_rows(TrainSettings& s) {
  const std::string shapes = joined(Schedule::shapes(), ", ");
  return {
      {"batch", s.batch, 1, 65536, "samples in a step: windows of text, images, documents"},
      {"micro_batch", s.micro_batch, 0, 65536, "samples at a time, to need less memory; 0: all"},
      {"steps", s.steps, 1, 1000000000, "training steps"},
      {"rate", s.rate, 1e-9, 10, "the highest learning rate"},
      {"floor", s.floor, 0, 1, "the part of it that is left at the last step of a cosine or linear schedule"},
      {"schedule", s.schedule,
       "one of " + shapes + ", with :warmup=N,floor=X; or phases, such as steps=1000,context=128,warmup=100;" +
           "cosine:steps=500,context=256 (constant and without warm-up if nothing is said)"},
      {"optimiser", s.optimiser, "the rule by which weights follow gradients", optimiser_names()},
      {"beta2", s.beta2, 0, 0.999999, "how much of the squared gradients adamw and adam remember"},
      {"weight_decay", s.weight_decay, 0, 10, "of matrices; if nothing is said, 0 for other optimisers than adamw"},
      {"clip", s.clip, 0, 1e9, "the largest norm of the gradients; 0: any"},
      {"dtype", s.dtype, "of products; bf16 rounds their numbers", {"f32", "bf16"}},
      {"seed", s.seed, 0, kMaxSeed, "another seed, other weights and another order of the data"},
  };
}

SettingTable writing_rows(TrainSettings& s) {
  return {
      {"checkpoint_every", s.checkpoint_every, 0, 1L << 40, "steps; 0: a tenth of the run, at most 1000"},
      {"keep", s.keep, 1, 1000000, "checkpoints to keep, besides the best"},
  };
}

void check_training(const TrainSettings& s) {
  HEED_CHECK(s.micro_batch <= s.batch, "settings", "micro_batch is ", s.micro_batch, "; it must be from 0 to ",
             s.batch);
}

Schedule schedule_of(const TrainSettings& s) {
  Phase defaults{.steps = s.steps, .rate = s.rate, .floor = s.floor};
  const Schedule cold(s.schedule, defaults);
  if (cold.phases().size() > 1) return cold;
  defaults.warmup = std::min({100L, s.steps / 10, cold.steps() / 10});
  return Schedule(s.schedule, defaults);
}

long micro_batch_of(const TrainSettings& s) { return s.micro_batch ? s.micro_batch : s.batch; }

OptimiserOptions optimiser_options(const TrainSettings& s) {
  return {.beta2 = s.beta2, .weight_decay = s.weight_decay, .clip = s.clip};
}

}  // namespace heed
