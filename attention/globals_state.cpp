#include "attention/globals_state.h"

namespace heed {
namespace {

constexpr const char *kWindow = "window.", *kGlobals = "globals.", *kAll = "all.";

void add(State::Tensors& to, const std::string& name, const State& part) {
  for (const auto& [inner, tensor] : part.tensors()) to.emplace_back(name + inner, tensor);
}

State::Tensors part_of(const State::Tensors& all, const std::string& name) {
  State::Tensors part;
  for (const auto& [whole, tensor] : all)
    if (whole.starts_with(name)) part.emplace_back(whole.substr(name.size()), tensor);
  return part;
}

}  // namespace

GlobalsState::GlobalsState(long batch, long max_length, const Module& owner, const Sizes& sizes)
    : State(batch, max_length, owner),
      window(batch, max_length, sizes.reach, owner),
      globals(batch, max_length, sizes.globals, owner),
      owner_(owner),
      last_(sizes.last) {}

KeyValueState& GlobalsState::all() {
  if (!all_) all_ = std::make_unique<KeyValueState>(batch(), max_length(), last_, owner_);
  return *all_;
}

void GlobalsState::reset() {
  State::reset();
  window.reset(), globals.reset();
  if (all_) all_->reset();
}

State::Tensors GlobalsState::tensors() const {
  Tensors list;
  add(list, kWindow, window), add(list, kGlobals, globals);
  if (all_) add(list, kAll, *all_);
  return list;
}

// The parts are asked for their keys alone; how many tokens there were the whole knows.
void GlobalsState::take(const Tensors& from) {
  window.restore(0, part_of(from, kWindow)), globals.restore(0, part_of(from, kGlobals));
  if (const Tensors rest = part_of(from, kAll); !rest.empty()) all().restore(0, rest);
}

void GlobalsState::adopt(const Tensors& from) {
  window.come_back({0, part_of(from, kWindow)}), globals.come_back({0, part_of(from, kGlobals)});
  if (const Tensors rest = part_of(from, kAll); !rest.empty()) all().come_back({0, rest});
}

}  // namespace heed
