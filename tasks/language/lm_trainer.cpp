#include "tasks/language/lm_trainer.h"

#include <algorithm>
#include <chrono>

#include "autograd/finite.h"
#include "tasks/language/lm_loss.h"
#include "tensor/allocator.h"
#include "train/model_tensors.h"

namespace heed {
namespace {

const LmSettings& checked(const LmSettings& s) {
  check_settings(s);
  return s;
}

Gpt& initialised(Gpt& model, long seed) {
  model.initialise(uint32_t(seed));
  return model;
}

OptimiserOptions optimiser_options(const LmSettings& s) {
  return {.beta2 = s.beta2, .weight_decay = s.weight_decay, .clip = s.clip};
}

}  // namespace

LmTrainer::LmTrainer(const LmSettings& settings, const ByteSplit& train)
    : settings_(checked(settings)),
      train_(train),
      schedule_(schedule_of(settings)),
      model_(model_options(settings)),
      arena_(initialised(model_, settings.seed)),
      optimiser_(make_optimiser(settings.optimiser, arena_, optimiser_options(settings))) {
  ctx_.seed = uint32_t(settings.seed);
  ctx_.train = true;
  ctx_.bf16 = settings.dtype == "bf16";
}

long LmTrainer::context_at(long step) const {
  const Phase& phase = schedule_.phase_at(step);
  return phase.context ? phase.context : settings_.context;
}

// The whole batch is drawn first: the loss is one mean over all of its targets, whatever part of it a micro-batch has.
double LmTrainer::accumulate(long step) {
  const Phase& phase = schedule_.phase_at(step);
  const long T = context_at(step), rows = micro_batch_of(settings_);
  std::vector<ByteBatch> parts;
  long counted = 0;
  for (long row = 0; row < settings_.batch; row += rows) {
    parts.push_back(train_.batch(ctx_.seed, uint32_t(step), uint32_t(row), std::min(rows, settings_.batch - row), T));
    counted += parts.back().counted;
  }
  HEED_CHECK(counted > 0, "train", "step ", step, " has nothing to predict: its windows of ", T,
             " bytes hold only documents of one byte; join some of them");
  arena_.zero_gradients();
  ctx_.forget_step_end();
  const Mask mask = phase.window ? window_mask(phase.window, 0) : Mask();
  double loss = 0;
  for (size_t i = 0; i < parts.size(); i++) {
    ctx_.begin(uint32_t(step), uint32_t(long(i) * rows));
    const Variable total = summed_loss(model_, parts[i], mask, ctx_);
    total.backward(1 / double(counted), double(parts[i].counted) / double(counted));
    loss += total.item() / double(counted);
  }
  ctx_.forget_decisions();
  return loss;
}

LmStep LmTrainer::advance(bool look_at_everything) {
  const long next = step() + 1;
  LmStep done{.rate = schedule_.rate_at(next), .tokens = settings_.batch * context_at(next)};
  done.loss = look_at_everything ? watched(next, "a result") : accumulate(next);
  done.gradient_norm = optimiser_->gradient_norm();
  const char* bad = !std::isfinite(done.loss)            ? "the loss"
                    : !std::isfinite(done.gradient_norm) ? "the norm of the gradients"
                                                         : nullptr;
  if (bad) {
    watched(next, bad);  // once more, looking at every result
    explain(next, bad, "every op made finite numbers, and their sum is too large");
  }
  optimiser_->step(done.rate, done.gradient_norm);
  ctx_.end_step();
  done.metrics = ctx_.metrics();
  return done;
}

double LmTrainer::watched(long step, const char* what) {
  try {
    const CheckFinite checking;
    return accumulate(step);
  } catch (const NotFinite& found) {
    explain(step, what, found.what());
  }
}

void LmTrainer::explain(long step, const char* what, const std::string& where) const {
  fail<NotFinite>("train", what, " of step ", step, " is not finite: ", where, ". The learning rate is ",
                  schedule_.rate_at(step),
                  ": go on from the last checkpoint with a lower one, or with a longer warm-up");
}

LmNeeds LmTrainer::try_step(long step) {
  reset_peak();
  const auto begin = std::chrono::steady_clock::now();
  accumulate(step);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  return {memory_stats().peak, took.count()};
}

TrainingState LmTrainer::state() {
  LmSettings settings = settings_;
  settings.data.clear();
  TrainingState state{.step = step(), .settings = to_json(settings).dump(), .weights = model_tensors(model_)};
  for (const auto& [name, flat] : optimiser_->state())
    for (NamedTensor& part : split_flat(arena_, flat, name + ".")) state.optimiser.push_back(std::move(part));
  return state;
}

void LmTrainer::check_weights() const {
  if (!all_finite(arena_.weights()))
    fail<NotFinite>("train", "the weights of step ", step(),
                    " are not finite: they are not saved. Go on from the last checkpoint with a lower rate");
}

void LmTrainer::restore(const TrainingState& state, const std::string& from) {
  load_model(model_, state.weights, from);
  for (const auto& [name, flat] : optimiser_->state()) join_flat(arena_, flat, state.optimiser, name + ".", from);
  optimiser_->set_steps(state.step);
}

LmNeeds needs_of_rest(LmTrainer& trainer) {
  trainer.try_step(trainer.step() + 1);  // the first one also fills the allocator
  LmNeeds all;
  long end = 0;
  for (const Phase& phase : trainer.schedule().phases()) {
    end += phase.steps;
    const long left = end - std::max(trainer.step(), end - phase.steps);
    if (left <= 0) continue;
    const LmNeeds one = trainer.try_step(end);
    all.bytes = std::max(all.bytes, one.bytes);
    all.seconds += one.seconds * double(left);
  }
  return all;
}

long steps_within(double seconds, const LmSettings& settings, const ByteSplit& train) {
  constexpr int kTries = 5;
  constexpr double kPatience = 3;  // seconds
  LmTrainer trainer(settings, train);
  trainer.try_step(1);  // fills the allocator
  double best = INFINITY, used = 0;
  for (int i = 0; i < kTries && used < kPatience; i++) {
    const double took = trainer.try_step(1).seconds;
    best = std::min(best, took);
    used += took;
  }
  return std::clamp(std::lround(std::min(seconds / best, 1e9)), 1L, 1000000000L);
}

}  // namespace heed
