// Context: what one forward pass knows, passed by reference down every forward. There are no globals: whatever a
// module draws, decides or reports goes through here, which is why a recomputed block can be run again and give the
// same result.
#pragma once

#include <any>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "autograd/recompute.h"
#include "nn/module.h"
#include "nn/plan_cache.h"
#include "tensor/random.h"

namespace heed {

class Context {  // must outlive the backward of what was computed with it
 public:
  Context() = default;
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  bool train = false;  // dropout and other noise happen only in training
  // Products of Linear, logits and attention: operands rounded to bf16, sums and results in f32. In attention these are
  // q, k, v and the gradient of the result; the weights P and the gradients dS of the scores stay f32.
  bool bf16 = false;
  uint32_t seed = 0, step = 0;
  double window_scale = 1;    // of all attention windows, while a phase of the training keeps them short: 0..1
  uint32_t first_sample = 0;  // global number of the batch's first example: micro-batches and ranks draw the same

  // The window times window_scale, at least 1; one that sees nothing (0) or all (-1) stays as it is.
  long scaled(long window) const;

  // Starts a forward pass of a new (micro-)batch: use numbers start again, decisions and the plans of once() are made
  // anew. A recomputed block of an earlier pass still finds the decisions of its own.
  void begin(uint32_t step, uint32_t first_sample = 0);

  // The key for randomness drawn by this module. A module used twice in one pass draws differently: the site is a hash
  // of its path and its use number.
  RandomKey random(const Module& user);

  // A discrete or stateful choice (hash buckets, routing, a redraw): computed and stored the first time, read back
  // when a recomputed or reversible block runs again.
  template <class Value> Value decide(const Module& user, const std::function<Value()>& choose) {
    if (!marked_ && !replaying_ && !grad_enabled()) return choose();  // generating text: nobody comes back
    std::any& slot = (*decisions_)[{user.path(), next_use(decision_uses_, user)}];
    if (!slot.has_value()) slot = choose();
    return std::any_cast<Value>(slot);
  }
  void forget_decisions();  // after backward

  // A number for the metrics of this step (an auxiliary loss, an attention span); the mean over all reports counts,
  // from all micro-batches of the step.
  void report(const std::string& name, double value);
  std::map<std::string, double> metrics() const;
  struct Reports {
    double sum = 0, count = 0;
  };
  const std::map<std::string, Reports>& reports() const { return reports_; }  // what the means are made of

  // What is to happen when the step is done and the weights have changed: features are redrawn, a counter moves on. A
  // block that is computed again does not ask twice, and a step that is only tried has no end.
  void at_step_end(const std::function<void()>& what);
  // The same for what is learned from the whole batch, as the running mean of a codebook: `what` is called once, with
  // the sum of the parts that this module gave, of all its calls, micro-batches and ranks. So it does not depend on how
  // a batch is cut. Every rank must ask; a part is f32 or f64, and a mean needs a count as one more number.
  void at_step_end(const Module& user, const Tensor& part, const std::function<void(const Tensor& sum)>& what);

  // For the trainer: does it, in the order in which it was asked for, sums last. `over_ranks` makes the sum of all
  // ranks of a tensor, in place.
  void end_step(const std::function<void(const Tensor&)>& over_ranks = nullptr);
  void forget_step_end();  // drops it: a step begins, or was only tried

  // Something that depends on sizes only (an attention plan) and is worth keeping between steps: made once per key and
  // type. The last 64 used are kept (nn/plan_cache.h).
  template <class Value> std::shared_ptr<const Value> plan(const std::string& key, const std::function<Value()>& make) {
    return plans_.get<Value>(key, make);
  }

  // The same for what depends on the batch (which tokens are global) and is shared by all layers: begin() drops it. A
  // recomputed block of an earlier pass still finds that of its own.
  template <class Value> std::shared_ptr<const Value> once(const std::string& key, const std::function<Value()>& make) {
    return batch_plans_->get<Value>(key, make);
  }

  // For recompute(fn, inputs, ctx.mark()): takes the use numbers back to now while fn is computed again.
  Rewind mark();

 private:
  using Uses = std::map<std::string, uint32_t>;
  static uint32_t next_use(Uses& uses, const Module& user) { return uses[user.path()]++; }

  using Decisions = std::map<std::pair<std::string, uint32_t>, std::any>;

  struct Moment {
    uint32_t seed, step, first_sample;
    double window_scale;
    bool train, bf16, replaying;
    Uses random_uses, decision_uses;
    std::shared_ptr<Decisions> decisions;
    std::shared_ptr<PlanCache> batch_plans;
  };
  Moment now() const;
  void go_to(const Moment& moment);

  Uses random_uses_, decision_uses_;
  std::shared_ptr<Decisions> decisions_ = std::make_shared<Decisions>();
  std::map<std::string, Reports> reports_;
  std::vector<std::function<void()>> at_step_end_;
  struct Summed {
    Tensor sum;
    std::function<void(const Tensor&)> what;
  };
  std::map<std::string, Summed> summed_;  // by the path of the module
  PlanCache plans_;
  std::shared_ptr<PlanCache> batch_plans_ = std::make_shared<PlanCache>();  // of once()
  bool marked_ = false, replaying_ = false;  // marked: a block of this pass may be computed again
};

}  // namespace heed
