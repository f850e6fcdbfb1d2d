#include "train/optimiser.h"

#include <cmath>

#include "system/error.h"
#include "tensor/allocator.h"
#include "tensor/create.h"
#include "tensor/ops/norm.h"
#include "tensor/views.h"

namespace heed {

std::vector<std::string> optimiser_names() { return all_optimisers.names(); }

std::unique_ptr<Optimiser> make_optimiser(const std::string& name, const ParameterArena& arena,
                                          const OptimiserOptions& options) {
  const MemoryHint hint(
      "The optimiser remembers numbers of every weight, which a smaller batch does not change: use a smaller model, or "
      "an optimiser that remembers less (sgd)");
  return all_optimisers.find(name).make(arena, options);
}

Optimiser::Optimiser(const char* op, const ParameterArena& arena, double weight_decay, double clip)
    : op_(op),
      weights_(arena.weights()),
      gradients_(arena.gradients()),
      weight_decay_(weight_decay),
      clip_(clip),
      decay_size_(arena.decay_size()) {
  HEED_CHECK(weight_decay >= 0, op, "weight_decay is ", weight_decay, "; it must not be negative");
  HEED_CHECK(clip >= 0, op, "clip is ", clip, "; it must be positive, or 0 for no clipping");
}

void Optimiser::remember(const std::string& name) { state_.emplace_back(name, zeros_like(weights_)); }

void Optimiser::set_steps(long steps) {
  HEED_CHECK(steps >= 0, op_, "the number of steps is ", steps, "; it must be at least 0");
  steps_ = steps;
}

double Optimiser::gradient_norm() const { return norm(gradients_); }

double Optimiser::clip_scale(double norm) const {
  if (clip_ == 0) return 1;
  HEED_CHECK(std::isfinite(norm), op_, "the gradients' norm is ", norm, " after ", steps_,
             " steps; the loss has run away: try a lower rate");
  return norm > clip_ ? clip_ / norm : 1;
}

Optimiser::Part Optimiser::part(long begin, long end) const {
  const auto cut = [&](const Tensor& x) { return slice(x, 0, begin, end); };
  Part part{.weights = cut(weights_), .gradients = cut(gradients_)};
  for (const auto& [name, x] : state_) part.state.push_back(cut(x));
  return part;
}

void Optimiser::step(double rate) { step(rate, clip_ == 0 ? 0 : gradient_norm()); }

void Optimiser::step(double rate, double norm) {
  HEED_CHECK(rate >= 0 && std::isfinite(rate), op_, "the rate is ", rate, "; it must be a number of at least 0");
  const double scale = clip_scale(norm);
  const auto run = [&](long begin, long end, double weight_decay) {
    if (begin == end) return;
    Part now = part(begin, end);
    now.rate = rate, now.weight_decay = weight_decay, now.gradient_scale = scale, now.step = steps_ + 1;
    update(now);
  };
  run(0, decay_size_, weight_decay_);
  run(decay_size_, weights_.numel(), 0);
  steps_++;
}

}  // namespace heed
