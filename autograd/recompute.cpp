#include "autograd/recompute.h"

#include "autograd/graph.h"

namespace heed {
namespace {

// Runs fn without recording and notes what it must find unchanged later: its inputs, and the leaves it uses.
std::vector<Variable> forgetful(const BlockMany& fn, const std::vector<Variable>& inputs, std::vector<Saved>* saved) {
  for (const Variable& x : inputs) saved->push_back(Saved(x.value()));  // they are kept, also recomputable ones
  NoGrad forget;
  NotingLeaves noting(saved);
  return fn(inputs);
}

}  // namespace

std::vector<Variable> recompute_many(BlockMany fn, const std::vector<Variable>& inputs, Rewind rewind) {
  if (!grad_enabled()) return fn(inputs);
  std::vector<Saved> saved;
  std::vector<Tensor> values;
  for (const Variable& y : forgetful(fn, inputs, &saved)) values.push_back(y.value());
  // Parameters inside of fn may want gradients even if no input does, so the node is always made. Backward replays fn
  // on the same inputs; the new nodes hang on the inputs' own, so every gradient arrives where and when it would have
  // without it.
  auto node = new_node("recompute", values, inputs);
  node->replay = [fn = std::move(fn), inputs, saved, rewind = std::move(rewind), shapes = node->shapes] {
    for (const Saved& x : saved) x.get();  // throws if one of them changed
    Recording on(true);
    std::shared_ptr<void> present = rewind ? rewind() : nullptr;
    std::vector<Variable> ys = fn(inputs);
    bool same = ys.size() == shapes.size();
    for (size_t i = 0; same && i < ys.size(); i++) same = ys[i].shape() == shapes[i];
    HEED_CHECK(same, "recompute", "the block gave other shapes when it was computed again; it must be a pure function");
    return ys;
  };
  std::vector<Variable> out;
  for (size_t i = 0; i < values.size(); i++) out.push_back(GraphAccess::make(values[i], node, int(i)));
  return out;
}

Variable recompute(Block fn, const std::vector<Variable>& inputs, Rewind rewind) {
  auto many = [fn = std::move(fn)](const std::vector<Variable>& in) { return std::vector<Variable>{fn(in)}; };
  return recompute_many(std::move(many), inputs, std::move(rewind))[0];
}

}  // namespace heed
