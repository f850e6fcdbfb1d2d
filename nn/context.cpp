#include "nn/context.h"

#include <cmath>

#include "tensor/copy.h"
#include "tensor/ops/elementwise.h"

namespace heed {

long Context::scaled(long window) const {
  return window <= 0 ? window : std::max(1L, std::lround(window_scale * double(window)));
}

void Context::begin(uint32_t new_step, uint32_t new_first_sample) {
  if (new_step != step) reports_.clear();
  step = new_step;
  first_sample = new_first_sample;
  random_uses_.clear();
  batch_plans_ = std::make_shared<PlanCache>();  // a new one: marks of the pass before may still hold theirs
  forget_decisions();
}

RandomKey Context::random(const Module& user) {
  return {seed, step, site_hash(user.path(), next_use(random_uses_, user)), first_sample};
}

void Context::forget_decisions() {
  decisions_ = std::make_shared<Decisions>();
  marked_ = false;
  decision_uses_.clear();
}

void Context::report(const std::string& name, double value) {
  if (replaying_) return;  // it was counted the first time
  auto& [sum, count] = reports_[name];
  sum += value;
  count++;
}

void Context::at_step_end(const std::function<void()>& what) {
  if (!replaying_) at_step_end_.push_back(what);
}

void Context::at_step_end(const Module& user, const Tensor& part, const std::function<void(const Tensor&)>& what) {
  if (replaying_) return;
  Summed& own = summed_[user.path()];
  HEED_CHECK(!own.sum.defined() || own.sum.shape() == part.shape(), "at_step_end", user.path(), " gave ", part.shape(),
             " after ", own.sum.shape(), "; all parts of a sum have one shape");
  own.sum = own.sum.defined() ? own.sum + part : clone(part);
  own.what = what;
}

void Context::end_step(const std::function<void(const Tensor&)>& over_ranks) {
  const auto all = std::exchange(at_step_end_, {});
  const auto summed = std::exchange(summed_, {});
  for (const auto& what : all) what();
  for (const auto& [path, own] : summed) {
    if (over_ranks) over_ranks(own.sum);
    own.what(own.sum);
  }
}

void Context::forget_step_end() { at_step_end_.clear(), summed_.clear(); }

std::map<std::string, double> Context::metrics() const {
  std::map<std::string, double> means;
  for (const auto& [name, report] : reports_) means[name] = report.sum / report.count;
  return means;
}

Context::Moment Context::now() const {
  return {seed,       step,         first_sample,   window_scale, train,       bf16,
          replaying_, random_uses_, decision_uses_, decisions_,   batch_plans_};
}

void Context::go_to(const Moment& moment) {
  seed = moment.seed;
  step = moment.step;
  first_sample = moment.first_sample;
  window_scale = moment.window_scale;
  train = moment.train;
  bf16 = moment.bf16;
  replaying_ = moment.replaying;
  random_uses_ = moment.random_uses;
  decision_uses_ = moment.decision_uses;
  decisions_ = moment.decisions;
  batch_plans_ = moment.batch_plans;
}

Rewind Context::mark() {
  marked_ = true;
  Moment past = now();
  past.replaying = true;
  return [this, past]() -> std::shared_ptr<void> {
    auto present = std::make_shared<Moment>(now());
    go_to(past);
    return {nullptr, [this, present](void*) { go_to(*present); }};
  };
}

}  // namespace heed
