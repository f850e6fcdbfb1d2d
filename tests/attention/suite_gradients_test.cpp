// Properties of the property suite: gradients are right, and as exact as those of the plain formula.
#include <algorithm>
#include <cmath>

#include "tensor/copy.h"
#include "tensor/create.h"
#include "tensor/ops/elementwise.h"
#include "tensor/ops/reduce.h"
#include "tests/oracle/suite.h"
#include "tests/support/compare.h"

using namespace heed;

namespace {

Mask some_padding(const Trial& trial, long T) {
  const Mask mask = causal_if(trial.can.causal);
  return trial.can.padding && T > 4 ? mask & length_mask(tensor({double(T), double(T - 4)}, i64)) : mask;
}

// Parameters are told apart by their paths: one that is frozen, or that this batch does not use, has no gradient.
void compare(const Results& got, const Results& want, Findings& found) {
  found.close("y", got.y, want.y, kExact);
  found.close("dx", got.dx, want.dx, kExact);
  for (const auto& [path, gradient] : want.gradients) {
    const bool there = got.gradients.count(path) > 0;
    if (there)
      found.close(path, got.gradients.at(path), gradient, kExact);
    else
      found.close(path + ", which has no gradient", zeros_like(gradient), gradient, kExact);
  }
  for (const auto& [path, gradient] : got.gradients)
    if (!want.gradients.count(path))
      found.close(path + ", which the formula does not use", gradient, zeros_like(gradient), 0);
}

const RegisteredProperty gradients{
    {.name = "gradients_are_those_of_the_dense_computation", .check = [](const Trial& trial, Findings& found) {
       const auto mixer = trial.mixer();
       for (long T : trial.many ? std::vector<long>{1, 9, 65, 127} : std::vector<long>{67}) {
         const auto at = found.at("T ", T);
         Context ctx;
         const Mask mask = some_padding(trial, T);
         const OracleCase c = trial.oracle_case(*mixer, mask, f64);
         compare(results(*mixer, trial.x(2, T), mask, ctx), results_of(trial, c, trial.x(2, T)), found);
       }
     }}};

const RegisteredProperty moved{
    {.name = "every_parameter_has_a_gradient", .check = [](const Trial& trial, Findings& found) {
       const auto mixer = trial.mixer();
       Context ctx;
       const Results all = results(*mixer, trial.x(2, 70), causal_if(trial.can.causal), ctx);
       const auto& without = trial.oracle->without_gradient;
       for (const Parameter* p : mixer->parameters()) {
         const auto found_at = all.gradients.find(p->path);
         const bool moves = found_at != all.gradients.end() && max(abs(found_at->second)).item() > 0;
         const bool expected = std::find(without.begin(), without.end(), p->path) == without.end();
         found.check(moves == expected, p->path, moves ? " has a gradient" : " has no gradient");
       }
       found.check(all.dx.defined() && max(abs(all.dx)).item() > 0, "x has no gradient");
     }}};

// sum(y dy) along a direction: by the gradient, and by a central difference. Choices (buckets, routes) are kept.
struct Slopes {
  static constexpr double kStep = 1e-5, kTolerance = 1e-7;  // the error of a central difference is about kStep^2
  Mixer& mixer;
  const Mask& mask;
  Tensor x, dy;
  Findings& found;
  State* state = nullptr;  // what it remembers when it is given is a constant
  State::Saved before = state ? state->saved() : State::Saved();
  Context ctx = {};
  Rewind mark = ctx.mark();

  double value(const Tensor& at) {
    const auto past = mark();
    if (state) state->restore(before);
    return sum(run(mixer, at, {.mask = mask, .state = state}, ctx).value() * dy).item();
  }
  void check(const std::string& what, const Tensor& gradient, const Tensor& way, double up, double down) {
    const double got = gradient.defined() ? sum(gradient * way).item() : 0, want = (up - down) / (2 * kStep);
    found.check(std::abs(got - want) <= kTolerance * (1 + std::abs(want)), "the slope along ", what, " is ", want,
                " and the gradient says ", got);
  }
  void of_x(const Tensor& gradient) {
    const Tensor way = noise(x.shape(), 5);
    check("x", gradient, way, value(x + way * kStep), value(x - way * kStep));
  }
  void of(Parameter& p, const Tensor& gradient) {
    const Tensor before = p.value.value(), way = noise(before.shape(), 6);
    p.value.set_value(before + way * kStep);
    const double up = value(x);
    p.value.set_value(before - way * kStep);
    const double down = value(x);
    p.value.set_value(before);
    check(p.path, gradient, way, up, down);
  }
  void of_all() {
    const Results all = results(mixer, x, MixIn{.mask = mask, .state = state}, ctx, dy);
    const NoGrad no_grad;
    of_x(all.dx);
    for (Parameter* p : mixer.parameters()) {
      const auto gradient = all.gradients.find(p->path);
      of(*p, gradient == all.gradients.end() ? Tensor() : gradient->second);
    }
  }
};

std::string jumps(const Trial& trial) {
  const auto& kinks = trial.oracle->with_kinks;
  return std::find(kinks.begin(), kinks.end(), trial.spec) == kinks.end() ? "" : "its slope jumps: a step may cross";
}

const RegisteredProperty slopes{{.name = "gradients_are_slopes_along_any_direction",
                                 .does_not_apply = jumps,
                                 .check = [](const Trial& trial, Findings& found) {
                                   const auto mixer = trial.mixer();
                                   for (long T : trial.many ? std::vector<long>{9, 67} : std::vector<long>{67}) {
                                     const auto at = found.at("T ", T);
                                     const Mask mask = some_padding(trial, T);
                                     Slopes{*mixer, mask, trial.x(2, T), trial.x(2, T, f64, 9), found}.of_all();
                                   }
                                 }}};

// Recurrence over segments: gradients flow within a segment, and what is remembered of those before is a constant.
const RegisteredProperty of_segments{
    {.name = "gradients_with_a_state_are_slopes_too",
     .does_not_apply =
         [](const Trial& trial) { return trial.can.decode ? jumps(trial) : std::string("it has no State"); },
     .check =
         [](const Trial& trial, Findings& found) {
           const auto mixer = trial.mixer();
           for (long before : trial.many ? std::vector<long>{1, 40} : std::vector<long>{40}) {
             const auto at = found.at("after ", before, " tokens");
             const auto state = mixer->start(2, 100);
             const Mask mask = causal_mask();
             Context ctx;
             run(*mixer, trial.x(2, before, f64, 3), {.mask = mask, .state = state.get()}, ctx);
             Slopes{*mixer, mask, trial.x(2, 30), trial.x(2, 30, f64, 9), found, state.get()}.of_all();
           }
         }}};

double largest(const Tensor& x) { return x.numel() == 0 ? 0 : max(abs(cast(x, f64))).item(); }

// Calibrated tolerance: how far off f32 may be is what a plain computation of the same formula in f32 is off, `factor`
// times, and 4 steps of f32 at `value`.
struct Calibrated {
  double factor, value;
  Findings& found;

  void operator()(const std::string& what, const Tensor& got, const Tensor& plain, const Tensor& want) const {
    const double error = largest(cast(got, f64) - want), usual = largest(cast(plain, f64) - want);
    found.check(error <= factor * usual + 4 * std::ldexp(value, -23), what, " is off by ", error,
                ", the plain formula by ", usual);
  }
};

// Some gradients are differences of large numbers, even zero (of what is added to all scores of a row). They are off by
// what those are off, so that the largest of all gradients counts.
double largest_gradient(const Results& all) {
  double value = largest(all.dx);
  for (const auto& [path, gradient] : all.gradients) value = std::max(value, largest(gradient));
  return value;
}

const RegisteredProperty exact{
    {.name = "f32_is_as_exact_as_the_plain_formula_in_f32", .check = [](const Trial& trial, Findings& found) {
       const auto mixer = trial.mixer(f32);
       for (long T : trial.many ? std::vector<long>{1, 33, 130, 257} : std::vector<long>{130}) {
         const auto at = found.at("T ", T);
         Context ctx;
         const Mask mask = causal_if(trial.can.causal);
         const Tensor x = trial.x(2, T, f32);
         const Results got = results(*mixer, x, mask, ctx),
                       plain = results_of(trial, trial.oracle_case(*mixer, mask, f32), x),
                       want = results_of(trial, trial.oracle_case(*mixer, mask, f64), x);
         Calibrated{2, largest(want.y), found}("y", got.y, plain.y, want.y);
         const Calibrated gradients{3, largest_gradient(want), found};
         gradients("dx", got.dx, plain.dx, want.dx);
         for (const auto& [path, gradient] : got.gradients)
           if (want.gradients.count(path)) gradients(path, gradient, plain.gradients.at(path), want.gradients.at(path));
       }
     }}};

}  // namespace
