#include "autograd/checkpoint.h"

#include "autograd/graph.h"

namespace heed {

Variable checkpoint(Block fn, const std::vector<Variable>& inputs, Rewind rewind) {
  if (!grad_enabled()) return fn(inputs);
  Variable y;
  {
    NoGrad forget;
    y = fn(inputs);
  }
  // Parameters inside of fn may want gradients even if no input does, so the node is always made. Backward replays fn
  // on the same inputs; the new nodes hang on the inputs' own, so every gradient arrives where and when it would have
  // without the checkpoint.
  auto node = new_node("checkpoint", {y.value()}, inputs);
  std::vector<Saved> saved(inputs.begin(), inputs.end());
  node->replay = [fn = std::move(fn), inputs, saved, rewind = std::move(rewind)] {
    for (const Saved& x : saved) x.get();  // throws if one of them changed
    std::shared_ptr<void> present = rewind ? rewind() : nullptr;
    return fn(inputs);
  };
  return GraphAccess::make(y.value(), node, 0);
}

}  // namespace heed
