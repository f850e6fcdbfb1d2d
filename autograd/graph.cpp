#include "autograd/graph.h"

#include <utility>

namespace heed {

namespace {

struct Remains {  // what a freed node held, and what may free further nodes
  std::vector<Edge> inputs;
  BackwardMany backward;
  std::function<std::vector<Variable>()> replay;
};

}  // namespace

Edge GraphAccess::edge(const Variable& x) {
  const bool wanted = x.requires_grad();
  return {wanted ? x.node_ : nullptr, wanted ? x.output_ : 0, x.shape(), x.dtype(), x.defined()};
}

Variable GraphAccess::make(const Tensor& value, std::shared_ptr<Node> node, int output) {
  Variable y(value);
  y.node_ = std::move(node);
  y.output_ = output;
  return y;
}

// Freeing a node may free its inputs' nodes, and so on: they wait in a list instead of nesting.
Node::~Node() {
  thread_local std::vector<Remains>* waiting = nullptr;
  Remains own{std::move(inputs), std::move(backward), std::move(replay)};
  if (waiting) {
    waiting->push_back(std::move(own));
    return;
  }
  std::vector<Remains> list;
  waiting = &list;
  list.push_back(std::move(own));
  while (!list.empty()) {
    Remains next = std::move(list.back());
    list.pop_back();
    next = Remains();
  }
  waiting = nullptr;
}

}  // namespace heed
