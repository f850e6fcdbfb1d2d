// Properties of the property suite: nothing comes from the future, neither values nor gradients.
#include "tensor/copy.h"
#include "tensor/create.h"
#include "tensor/views.h"
#include "tests/oracle/suite.h"
#include "tests/support/compare.h"

using namespace heed;

namespace {

std::string not_causal(const Trial& trial) {
  return trial.can.causal ? "" : "it is not causal: outputs may depend on later tokens";
}

// x with other tokens from t on, far from those that were there
Tensor other_future(const Tensor& x, long t) {
  const Tensor other = clone(x);
  fill(slice(other, 1, t, x.size(1)), 3);
  return other;
}

// A pass over x, then others that find the choices (buckets, routes) of the first one. A mixer that makes none from
// later tokens is on its own each time: that is what strictly causal means.
class Passes {
 public:
  Passes(const Trial& trial, Mixer& mixer) : kept_(!trial.can.strictly_causal), mixer_(mixer) {}
  Results operator()(const Tensor& x, const Tensor& dy = {}) {
    const auto past = kept_ ? mark_() : nullptr;
    return results(mixer_, x, causal_mask(), ctx_, dy);
  }

 private:
  bool kept_;
  Mixer& mixer_;
  Context ctx_ = {};
  Rewind mark_ = ctx_.mark();
};

const RegisteredProperty values{{.name = "a_later_token_changes_no_bit_before_it",
                                 .does_not_apply = not_causal,
                                 .check = [](const Trial& trial, Findings& found) {
                                   const auto mixer = trial.mixer(f32);
                                   Passes pass(trial, *mixer);
                                   const long T = 130;
                                   const Tensor x = trial.x(2, T, f32), before = pass(x).y;
                                   for (long t : {129, 128, 65, 64, 63, 32, 1}) {
                                     const auto at = found.at("token ", t);
                                     const Tensor after = pass(other_future(x, t)).y;
                                     found.same("rows before it", rows(after, 0, t), rows(before, 0, t));
                                     found.check(!same_bits(rows(after, t, T), rows(before, t, T)),
                                                 "other tokens change nothing");
                                   }
                                 }}};

// A loss on the positions before t: its gradients must not know what comes later. A leak may be here alone, where no
// output shows it.
const RegisteredProperty gradients{
    {.name = "gradients_before_a_token_do_not_know_of_later_ones",
     .does_not_apply = not_causal,
     .check = [](const Trial& trial, Findings& found) {
       const auto mixer = trial.mixer(f32);
       Passes pass(trial, *mixer);
       const long T = 130;
       const Tensor x = trial.x(2, T, f32);
       for (long t : trial.many ? std::vector<long>{129, 65, 64, 1} : std::vector<long>{65}) {
         const auto at = found.at("a loss before token ", t);
         const Tensor dy = noise(x.shape(), 9, f32);
         fill(slice(dy, 1, t, T), 0);
         const Results before = pass(x, dy), after = pass(other_future(x, t), dy);
         found.same("dx before it", rows(after.dx, 0, t), rows(before.dx, 0, t));
         found.close("dx behind it", rows(after.dx, t, T), zeros({2, T - t, trial.C()}), 0);
         for (const auto& [path, gradient] : before.gradients)
           found.same("the gradient of " + path, after.gradients.at(path), gradient);
       }
     }}};

}  // namespace
