#include "autograd/variable.h"

#include <atomic>
#include <utility>

#include "autograd/graph.h"
#include "tensor/copy.h"

namespace heed {
namespace {

thread_local bool recording = true;
thread_local std::vector<Saved>* leaves_used = nullptr;
std::atomic<uint64_t> last_number = 0;
OpNames* op_names = nullptr;

Node& leaf_of(const Variable& x, const char* method) {
  const auto& node = GraphAccess::node(x);
  HEED_CHECK(node && node->is_leaf, method, "this Variable is ", node ? "the result of an op" : "a constant",
             "; only a leaf (a parameter) has it. Make one with Variable::leaf(tensor)");
  return *node;
}

}  // namespace

Variable::Variable(Tensor value) : value_(std::move(value)) {}

Variable Variable::leaf(Tensor value) {
  check_defined("leaf", value);
  HEED_CHECK(is_maths(value.dtype()), "leaf", "the value is ", value.dtype(),
             "; gradients exist for f32 and f64. Cast first: cast(x, f32)");
  Variable x;
  x.node_ = std::make_shared<Node>();
  x.node_->is_leaf = true;
  x.node_->shapes = {value.shape()};
  x.node_->value = std::move(value);
  return x;
}

const Tensor& Variable::value() const { return node_ && node_->is_leaf ? node_->value : value_; }
bool Variable::requires_grad() const { return node_ && (!node_->is_leaf || node_->wanted); }
bool Variable::is_leaf() const { return node_ && node_->is_leaf; }

Tensor Variable::grad() const { return leaf_of(*this, "grad").grad; }

void Variable::set_grad(const Tensor& buffer) {
  Node& leaf = leaf_of(*this, "set_grad");
  check_same_kind("set_grad", value(), buffer);
  HEED_CHECK(buffer.shape() == shape(), "set_grad", "the buffer is ", buffer.shape(), " and the value ", shape(),
             "; they must be equal");
  leaf.grad = buffer;
}

void Variable::zero_grad() {
  Node& leaf = leaf_of(*this, "zero_grad");
  if (leaf.grad.defined()) fill(leaf.grad, 0);
}

void Variable::set_value(const Tensor& value) {
  Node& leaf = leaf_of(*this, "set_value");
  check_defined("set_value", value);
  HEED_CHECK(value.shape() == shape(), "set_value", "the new value is ", value.shape(), " and the old ", shape(),
             "; they must be equal");
  HEED_CHECK(is_maths(value.dtype()), "set_value", "the new value is ", value.dtype(), "; a leaf is f32 or f64");
  if (leaf.grad.defined() && leaf.grad.dtype() != value.dtype()) leaf.grad = Tensor();
  leaf.value = value;
}

void Variable::set_requires_grad(bool wanted) { leaf_of(*this, "set_requires_grad").wanted = wanted; }

Variable detach(const Variable& x) { return Variable(x.value()); }

Recording::Recording(bool on) : before_(std::exchange(recording, on)) {}
Recording::~Recording() { recording = before_; }
bool grad_enabled() { return recording; }

Edge GraphAccess::edge(const Variable& x) {
  return x.requires_grad() ? Edge{x.node_, x.output_, x.shape(), x.dtype()} : Edge{nullptr, 0, x.shape(), x.dtype()};
}

Variable GraphAccess::make(const Tensor& value, std::shared_ptr<Node> node, int output) {
  Variable y(value);
  y.node_ = std::move(node);
  y.output_ = output;
  return y;
}

std::shared_ptr<Node> new_node(const char* op, const std::vector<Tensor>& ys, const std::vector<Variable>& inputs) {
  auto node = std::make_shared<Node>();
  node->op = op;
  node->number = ++last_number;
  for (const Variable& x : inputs) node->inputs.push_back(GraphAccess::edge(x));
  for (const Tensor& y : ys) node->shapes.push_back(y.shape());
  return node;
}

bool is_recorded(const char* op, const Variable* inputs, size_t count) {
  if (op_names) {
    op_names->recorded.insert(op);
    if (op_names->checking) op_names->checked.insert(op);
  }
  bool wanted = false;
  for (size_t i = 0; i < count; i++) wanted |= inputs[i].requires_grad();
  if (leaves_used && wanted)
    for (size_t i = 0; i < count; i++)
      if (inputs[i].is_leaf()) leaves_used->push_back(Saved(inputs[i]));
  return recording && wanted;
}

Variable record_node(const char* op, const Tensor& y, const std::vector<Variable>& inputs, BackwardOne backward) {
  auto node = new_node(op, {y}, inputs);
  node->backward = [backward = std::move(backward)](const std::vector<Tensor>& dys) { return backward(dys[0]); };
  return GraphAccess::make(y, node, 0);
}

std::vector<Variable> record_many(const char* op, const std::vector<Tensor>& ys, const std::vector<Variable>& inputs,
                                  BackwardMany backward) {
  if (!is_recorded(op, inputs.data(), inputs.size())) return {ys.begin(), ys.end()};
  auto node = new_node(op, ys, inputs);
  node->backward = std::move(backward);
  std::vector<Variable> out;
  for (size_t i = 0; i < ys.size(); i++) out.push_back(GraphAccess::make(ys[i], node, int(i)));
  return out;
}

std::vector<Saved>* note_leaves(std::vector<Saved>* list) { return std::exchange(leaves_used, list); }

void watch_ops(OpNames* names) { op_names = names; }
OpNames* watched_ops() { return op_names; }

}  // namespace heed
