#include "train/train_settings.h"

#include <algorithm>

#include "system/error.h"
#include "system/text.h"
#include "train/schedule_preset.h"

namespace heed {
namespace {

constexpr long kMostSamples = 65536;  // of a batch

// A tenth of the steps, 60 to 100 of them, but never more than half: adamw remembers 0.98 of the squared gradients, so
// it takes 50 steps to know them, and a rate that is high before that throws the weights about. A short run never
// recovers. docs/laptop.md has figures.
long usual_warmup(long steps) { return std::min(steps / 2, std::clamp(steps / 10, 60L, 100L)); }

}  // namespace

SettingTable training_rows(TrainSettings& s) {
  const std::string shapes = joined(Schedule::shapes(), ", ");
  return {
      {"batch", s.batch, 1, kMostSamples, "samples in a step: windows of text, images, documents"},
      {"micro_batch", s.micro_batch, 0, kMostSamples, "samples at a time, to need less memory; 0: all"},
      {"steps", s.steps, 1, 1000000000, "training steps"},
      {"rate", s.rate, 1e-9, 10, "the highest learning rate"},
      {"floor", s.floor, 0, 1, "the part of it that is left at the last step of a cosine or linear schedule"},
      {"schedule", s.schedule,
       "one of " + shapes + ", with :warmup=N,floor=X; or phases, such as steps=1000,context=128,warmup=100;" +
           "cosine:steps=500,context=256 (constant and without warm-up if nothing is said); a phase may also have a "
           "batch, windows=0.25, a part of every layer's own, and contexts=0.25, a part of the context; or a preset of "
           "phases: " +
           schedule_presets_text()},
      {"optimiser", s.optimiser, "the rule by which weights follow gradients", optimiser_names()},
      {"beta2", s.beta2, 0, 0.999999, "how much of the squared gradients adamw and adam remember"},
      {"weight_decay", s.weight_decay, 0, 10, "of matrices; if nothing is said, 0 for other optimisers than adamw"},
      {"clip", s.clip, 0, 1e9, "the largest norm of the gradients; 0: any"},
      {"dtype", s.dtype, "of products; bf16 rounds their numbers", {"f32", "bf16"}},
      {"freeze", s.freeze,
       "parts of the model that stay as they are, by their paths, such as input,stack.layer_0; for a run that begins "
       "with the weights of another"},
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
  const Schedule schedule = schedule_of(s);
  for (const Phase& phase : schedule.phases())
    HEED_CHECK(phase.batch <= kMostSamples, "settings", "a phase of the schedule has batch ", phase.batch,
               "; it must be at most ", kMostSamples);
}

Schedule schedule_of(const TrainSettings& s) {
  if (const SchedulePreset* preset = schedule_preset(s.schedule))
    return Schedule(preset->phases({.steps = s.steps, .batch = s.batch, .rate = s.rate}));
  Phase defaults{.steps = s.steps, .rate = s.rate, .floor = s.floor};
  const Schedule cold(s.schedule, defaults);
  if (cold.phases().size() > 1) return cold;
  defaults.warmup = usual_warmup(std::min(s.steps, cold.steps()));
  return Schedule(s.schedule, defaults);
}

OptimiserOptions optimiser_options(const TrainSettings& s) {
  return {.beta2 = s.beta2, .weight_decay = s.weight_decay, .clip = s.clip};
}

}  // namespace heed
