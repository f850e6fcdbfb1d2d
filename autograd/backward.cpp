// Running the graph backwards: nodes with the highest number first. Whoever used a node's result has a higher number,
// so all gradients have arrived when a node's turn comes, and they arrived in the same order as always.
#include <queue>
#include <utility>

#include "autograd/finite.h"
#include "autograd/graph.h"
#include "tensor/copy.h"
#include "tensor/create.h"
#include "tensor/ops/elementwise.h"
#include "tensor/profile.h"

namespace heed {
namespace {

thread_local double scale_now = 1;
thread_local const char* op_now = "backward";
thread_local BackwardObserver observer;

template <class Value> class Restore {  // puts a value back at the end of a scope, also when it is left by an exception
 public:
  Restore(Value& place, Value value) : place_(place), before_(std::exchange(place, value)) {}
  ~Restore() { place_ = before_; }

 private:
  Value& place_;
  Value before_;
};

// Adds up in place where nobody else can see it; otherwise in a new tensor.
void add_up(Tensor& total, Tensor g) {
  bool own = total.defined() && total.storage().use_count() == 1 && total.is_contiguous();
  if (!total.defined())
    total = std::move(g);
  else if (own)
    add_into(total, g);
  else
    total = add(total, g);
}

void add_to_leaf(Node& leaf, Tensor g) {
  if (!leaf.wanted) return;
  if (leaf.grad.defined())
    add_into(leaf.grad, g);
  else if (g.storage().use_count() == 1 && g.is_contiguous())
    leaf.grad = std::move(g);
  else
    leaf.grad = clone(g);  // someone else holds it: a later addition must not reach them
}

struct Later {
  bool operator()(const std::shared_ptr<Node>& a, const std::shared_ptr<Node>& b) const {
    return a->number < b->number;
  }
};

class Run {
 public:
  Run() = default;
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;
  ~Run() {  // left by an exception: what still waits must not seem queued to the next backward
    for (; !queue_.empty(); queue_.pop()) queue_.top()->queued = false, queue_.top()->arriving.clear();
  }

  void deliver(const Edge& edge, Tensor g) {
    if (!edge.node || !g.defined()) return;
    if (edge.node->is_leaf) return add_to_leaf(*edge.node, std::move(g));
    Node& node = *edge.node;
    if (node.used)
      fail<GraphError>("backward", "the graph of '", node.op,
                       "' was used already and is freed. Run the forward pass again before a second backward");
    node.arriving.resize(node.shapes.size());
    add_up(node.arriving[edge.output], std::move(g));
    if (!std::exchange(node.queued, true)) queue_.push(edge.node);
  }

  void drain() {
    while (!queue_.empty()) {
      std::shared_ptr<Node> node = queue_.top();
      queue_.pop();
      run(*node);
    }
  }

 private:
  void run(Node& node) {
    const Restore op(op_now, node.op);
    const profile::Backward profiled(node.op);
    node.used = true;
    auto dys = std::move(node.arriving);
    if (observer) observer(node, dys);
    auto inputs = std::move(node.inputs);
    node.again.clear();  // all who might need it have had their turn
    if (node.replay) {
      auto ys = std::exchange(node.replay, nullptr)();
      for (size_t i = 0; i < ys.size(); i++) deliver(GraphAccess::edge(ys[i]), dys[i]);
      return;  // the new nodes have the highest numbers: they come next
    }
    auto backward = std::exchange(node.backward, nullptr);  // what it saved is freed with it
    Grads grads = backward(dys);
    HEED_CHECK(grads.list.size() == inputs.size(), node.op, "its backward returned ", grads.list.size(),
               " gradients for ", inputs.size(), " inputs; return one for each, Tensor() for none");
    for (size_t i = 0; i < inputs.size(); i++) {
      Tensor& g = grads.list[i];
      if (!inputs[i].defined) continue;
      HEED_CHECK(!g.defined() || g.shape() == inputs[i].shape, node.op, "its backward returned a gradient of shape ",
                 g.shape(), " for input ", i, ", which is ", inputs[i].shape, "; they must be equal");
      HEED_CHECK(!g.defined() || g.dtype() == inputs[i].dtype, node.op, "its backward returned a gradient of type ",
                 g.dtype(), " for input ", i, ", which is ", inputs[i].dtype, "; they must be equal");
      if (checks_finite()) check_finite(node.op, "its backward made", g, MinusInfinity::counts);
      deliver(inputs[i], std::move(g));
    }
  }

  std::priority_queue<std::shared_ptr<Node>, std::vector<std::shared_ptr<Node>>, Later> queue_;
};

}  // namespace

double loss_scale() { return scale_now; }
const char* running_backward() { return op_now; }
BackwardObserver observe_backward(BackwardObserver wanted) { return std::exchange(observer, std::move(wanted)); }

void Variable::backward(double scale) const { backward(scale, scale); }

void Variable::backward(double scale, double attached_scale) const {
  check_defined("backward", value());
  HEED_CHECK(numel() == 1, "backward", "this Variable is ", shape(),
             "; backward() starts at a scalar. Take sum or mean, or pass the gradient: backward(dy)");
  Restore guard(scale_now, attached_scale);
  backward(full(shape(), scale, dtype(), value().device()));
}

void Variable::backward(const Tensor& dy) const {
  check_same_kind("backward", value(), dy);
  HEED_CHECK(dy.shape() == shape(), "backward", "dy is ", dy.shape(), " and the Variable ", shape(),
             "; they must be equal");
  if (!requires_grad())
    fail<GraphError>("backward",
                     "nothing here requires a gradient: no leaf took part, or it was computed under NoGrad");
  Run run;
  run.deliver(GraphAccess::edge(*this), dy);
  run.drain();
}

}  // namespace heed
