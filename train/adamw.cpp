#include "train/adamw.h"

#include <cmath>

#include "tensor/adamw.h"
#include "tensor/create.h"
#include "tensor/norm.h"
#include "tensor/views.h"

namespace heed {
namespace {

void check(const AdamWOptions& o) {
  for (double beta : {o.beta1, o.beta2})
    HEED_CHECK(beta >= 0 && beta < 1, "AdamW", "beta1 is ", o.beta1, " and beta2 is ", o.beta2,
               "; each must be at least 0 and below 1");
  HEED_CHECK(o.epsilon > 0, "AdamW", "epsilon is ", o.epsilon, "; it must be positive, such as 1e-8");
  HEED_CHECK(o.weight_decay >= 0, "AdamW", "weight_decay is ", o.weight_decay, "; it must not be negative");
  HEED_CHECK(o.clip >= 0, "AdamW", "clip is ", o.clip, "; it must be positive, or 0 for no clipping");
}

}  // namespace

AdamW::AdamW(const ParameterArena& arena, const AdamWOptions& options)
    : options_(options), weights_(arena.weights()), gradients_(arena.gradients()), decay_size_(arena.decay_size()) {
  check(options);
  m_ = zeros_like(weights_);
  v_ = zeros_like(weights_);
}

double AdamW::gradient_norm() const { return norm(gradients_); }

double AdamW::clip_scale() const {
  if (options_.clip == 0) return 1;
  const double norm = gradient_norm();
  HEED_CHECK(std::isfinite(norm), "AdamW", "the gradients' norm is ", norm, " after ", steps_,
             " steps; the loss has run away: try a lower rate");
  return norm > options_.clip ? options_.clip / norm : 1;
}

void AdamW::step(double rate) {
  HEED_CHECK(rate >= 0 && std::isfinite(rate), "AdamW", "the rate is ", rate, "; it must be a number of at least 0");
  AdamWStep step{.rate = rate,
                 .beta1 = options_.beta1,
                 .beta2 = options_.beta2,
                 .epsilon = options_.epsilon,
                 .weight_decay = options_.weight_decay,
                 .gradient_scale = clip_scale(),
                 .step = steps_ + 1};
  const auto update = [&](long begin, long end) {
    const auto part = [&](const Tensor& x) { return slice(x, 0, begin, end); };
    if (begin < end) adamw_into(part(weights_), part(m_), part(v_), part(gradients_), step);
  };
  update(0, decay_size_);
  step.weight_decay = 0;
  update(decay_size_, weights_.numel());
  steps_++;
}

}  // namespace heed
