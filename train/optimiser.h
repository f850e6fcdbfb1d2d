// Optimiser: turns the gradients in a parameter arena into a step of the weights, over flat memory and in one pass.
//
//   ParameterArena arena(model);
//   auto optimiser = make_optimiser("adamw", arena, {.weight_decay = 0.1, .clip = 1});
//   for (...) { arena.zero_gradients(); loss.backward(); optimiser->step(rate); }
//
//   adamw     m / (sqrt(v) + e), running means of g and g^2 with their bias undone; weights decay apart from g
//   adam      the same, but decay is L2: it is added to the gradient, and so is scaled like it
//   sgd       v = momentum v + g, w -= rate v; nesterov: w -= rate (g + momentum v). Decay is L2
//   adagrad   s += g^2, w -= rate g / (sqrt(s) + e). Decay is L2
//
// L2: g + weight_decay w in place of g, behind clipping. Decay acts on the arena's decay group only: matrices, not
// biases and norms.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "nn/arena.h"
#include "system/registry.h"

namespace heed {

struct OptimiserOptions {
  double beta1 = 0.9, beta2 = 0.999;        // of adamw and adam
  std::optional<double> epsilon = {};       // of adamw and adam, where the default is 1e-8, and adagrad, 1e-10
  std::optional<double> weight_decay = {};  // the default is 0.01 for adamw, 0 for the others
  double momentum = 0.9;                    // of sgd
  bool nesterov = false;                    // of sgd
  double clip = 0;                          // scales the gradients down to this norm over all parameters; 0: off
};

class Optimiser {
 public:
  virtual ~Optimiser() = default;
  Optimiser(const Optimiser&) = delete;
  Optimiser& operator=(const Optimiser&) = delete;

  // One step with the gradients as they are in the arena; it leaves them there. Throws, and changes nothing, when
  // clip is on and the norm is not finite. A norm within clip changes no bit.
  void step(double rate);

  void step(double rate, double norm);  // the same for who knows gradient_norm() already: one pass less

  double gradient_norm() const;  // over all parameters, as they are now and before clipping
  long steps() const { return steps_; }

  // For checkpoints: what it remembers besides the number of steps, each (arena.size(),), by name: "m" and "v" of
  // adamw. They share the optimiser's memory: copy into them to restore, then set_steps.
  const std::vector<std::pair<std::string, Tensor>>& state() const { return state_; }
  void set_steps(long steps);

 protected:
  struct Part {  // a stretch of the arena whose weights decay alike
    Tensor weights, gradients;
    std::vector<Tensor> state = {};  // in the order of remember()
    double rate = 0, weight_decay = 0, gradient_scale = 1;
    long step = 1;  // 1, 2, ...
  };
  Optimiser(const char* op, const ParameterArena& arena, double weight_decay, double clip);
  void remember(const std::string& name);     // zeros, one number for each weight
  virtual void update(const Part& part) = 0;  // of one part, in place

 private:
  double clip_scale(double norm) const;
  Part part(long begin, long end) const;

  const char* op_;  // in errors: "AdamW"
  Tensor weights_, gradients_;
  std::vector<std::pair<std::string, Tensor>> state_;
  double weight_decay_, clip_;
  long decay_size_, steps_ = 0;
};

// By name. An unknown one is an error that lists the known ones and suggests the nearest.
std::unique_ptr<Optimiser> make_optimiser(const std::string& name, const ParameterArena& arena,
                                          const OptimiserOptions& options = {});
std::vector<std::string> optimiser_names();  // sorted

// A static object makes an optimiser known under its name: const RegisteredOptimiser sgd{maker_of<Sgd>("sgd")};
struct OptimiserMaker {
  std::string name;
  std::unique_ptr<Optimiser> (*make)(const ParameterArena& arena, const OptimiserOptions& options);
};
template <class Kind> OptimiserMaker maker_of(const char* name) {
  return {name, [](const ParameterArena& arena, const OptimiserOptions& options) -> std::unique_ptr<Optimiser> {
            return std::make_unique<Kind>(arena, options);
          }};
}
inline constinit Registry<OptimiserMaker> all_optimisers{"optimiser", "optimiser"};
using RegisteredOptimiser = Registration<all_optimisers>;

}  // namespace heed
