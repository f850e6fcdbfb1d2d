#include "autograd/saved.h"

#include <utility>

#include "autograd/graph.h"

namespace heed {

Saved::Saved(const Tensor& x) {
  if (!grad_enabled() || !x.defined()) return;
  x_ = x;
  version_ = x.storage()->version();
}

Saved::Saved(const Variable& x) {
  const auto& node = GraphAccess::node(x);
  const size_t output = size_t(GraphAccess::output(x));
  if (grad_enabled() && node && output < node->again.size()) again_ = node->again[output];
  if (!again_) *this = Saved(x.value());
}

Variable recomputable(const Variable& y, Again again) {
  const auto& node = GraphAccess::node(y);
  if (!node || node->is_leaf) return y;
  node->again.resize(node->shapes.size());
  node->again[size_t(GraphAccess::output(y))] = std::make_shared<const Again>(std::move(again));
  return y;
}

const Tensor& Saved::get() const {
  if (again_ && !x_.defined()) {
    const NoGrad plain;
    x_ = (*again_)();
    return x_;
  }
  if (!again_ && x_.defined() && x_.storage()->version() != version_)
    fail<GraphError>(running_backward(), "a tensor saved for its gradient, ", x_.shape(), " ", x_.dtype(),
                     ", was changed in place after the forward pass (version ", version_, ", now ",
                     x_.storage()->version(), "). Write into clone(x), or after backward");
  return x_;
}

}  // namespace heed
