#include "train/trainer.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>

#include "autograd/finite.h"
#include "tensor/allocator.h"
#include "train/model_tensors.h"

namespace heed {
namespace {

Module& initialised(Module& model, long seed) {
  model.initialise(uint32_t(seed));
  return model;
}

long tokens_in(const Batch& batch) {
  if (!batch.lengths.defined()) return batch.inputs.numel();
  const std::vector<int64_t> lengths = batch.lengths.to_vector<int64_t>();
  return std::accumulate(lengths.begin(), lengths.end(), 0L);
}

}  // namespace

Trainer::Trainer(Task& task)
    : task_(task),
      settings_(task.training()),
      schedule_(schedule_of(settings_)),
      arena_(initialised(task.objective().model(), settings_.seed)),
      optimiser_(make_optimiser(settings_.optimiser, arena_, optimiser_options(settings_))) {
  ctx_.seed = uint32_t(settings_.seed);
  ctx_.train = true;
  ctx_.bf16 = settings_.dtype == "bf16";
}

long Trainer::context_at(long step) const {
  const Phase& phase = schedule_.phase_at(step);
  return phase.context ? phase.context : task_.context();
}

std::vector<Batch> Trainer::drawn(long step) {
  std::vector<Batch> parts;
  const long rows = micro_batch_of(settings_);
  for (long row = 0; row < settings_.batch; row += rows)
    parts.push_back(task_.draw({.seed = ctx_.seed,
                                .step = uint32_t(step),
                                .first = row,
                                .rows = std::min(rows, settings_.batch - row),
                                .context = context_at(step)}));
  return parts;
}

// The whole batch is drawn first: the loss is one mean over all of its targets, whatever part of it a micro-batch has.
double Trainer::accumulate(long step) {
  const std::vector<Batch> parts = drawn(step);
  long counted = 0;
  tokens_ = 0;
  for (const Batch& part : parts) {
    counted += part.counted;
    tokens_ += tokens_in(part);
  }
  HEED_CHECK(counted > 0, "train", "step ", step,
             " has nothing to predict: ", task_.nothing_to_predict(context_at(step)));
  arena_.zero_gradients();
  ctx_.forget_step_end();
  const long window = schedule_.phase_at(step).window;
  const Mask hidden = window ? window_mask(window, 0) : Mask();
  double loss = 0;
  for (size_t i = 0; i < parts.size(); i++) {
    ctx_.begin(uint32_t(step), uint32_t(long(i) * micro_batch_of(settings_)));
    const Variable total = task_.objective().summed_loss(parts[i], hidden, ctx_);
    total.backward(1 / double(counted), double(parts[i].counted) / double(counted));
    loss += total.item() / double(counted);
  }
  ctx_.forget_decisions();
  return loss;
}

Step Trainer::advance(bool look_at_everything) {
  const long next = step() + 1;
  Step done{.rate = schedule_.rate_at(next)};
  done.loss = look_at_everything ? watched(next, "a result") : accumulate(next);
  done.gradient_norm = optimiser_->gradient_norm();
  const char* bad = !std::isfinite(done.loss)            ? "the loss"
                    : !std::isfinite(done.gradient_norm) ? "the norm of the gradients"
                                                         : nullptr;
  if (bad) {
    watched(next, bad);  // once more, looking at every result
    explain(next, bad, "every op made finite numbers, and their sum is too large");
  }
  done.tokens = tokens_;
  optimiser_->step(done.rate, done.gradient_norm);
  ctx_.end_step();
  done.metrics = ctx_.metrics();
  return done;
}

double Trainer::watched(long step, const char* what) {
  try {
    const CheckFinite checking;
    return accumulate(step);
  } catch (const NotFinite& found) {
    explain(step, what, found.what());
  }
}

void Trainer::explain(long step, const char* what, const std::string& where) const {
  fail<NotFinite>("train", what, " of step ", step, " is not finite: ", where, ". The learning rate is ",
                  schedule_.rate_at(step),
                  ": go on from the last checkpoint with a lower one, or with a longer warm-up");
}

Needs Trainer::try_step(long step) {
  reset_peak();
  const auto begin = std::chrono::steady_clock::now();
  accumulate(step);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  return {memory_stats().peak, took.count()};
}

TrainingState Trainer::state() {
  Json settings = task_.settings();
  settings["data"] = "";
  TrainingState state{
      .step = step(), .settings = settings.dump(), .strings = task_.strings(), .weights = model_tensors(model())};
  for (const auto& [name, flat] : optimiser_->state())
    for (NamedTensor& part : split_flat(arena_, flat, name + ".")) state.optimiser.push_back(std::move(part));
  return state;
}

void Trainer::check_weights() const {
  if (!all_finite(arena_.weights()))
    fail<NotFinite>("train", "the weights of step ", step(),
                    " are not finite: they are not saved. Go on from the last checkpoint with a lower rate");
}

void Trainer::restore(const TrainingState& state, const std::string& from) {
  load_model(model(), state.weights, from);
  for (const auto& [name, flat] : optimiser_->state()) join_flat(arena_, flat, state.optimiser, name + ".", from);
  optimiser_->set_steps(state.step);
}

Needs needs_of_rest(Trainer& trainer) {
  trainer.try_step(trainer.step() + 1);  // the first one also fills the allocator
  Needs all;
  long end = 0;
  for (const Phase& phase : trainer.schedule().phases()) {
    end += phase.steps;
    const long left = end - std::max(trainer.step(), end - phase.steps);
    if (left <= 0) continue;
    const Needs one = trainer.try_step(end);
    all.bytes = std::max(all.bytes, one.bytes);
    all.seconds += one.seconds * double(left);
  }
  return all;
}

long steps_within(double seconds, Task& task) {
  constexpr int kTries = 5;
  constexpr double kPatience = 3;  // seconds
  Trainer trainer(task);
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
