#include "autograd/variable.h"

#include <atomic>
#include <utility>

#include "autograd/finite.h"
#include "autograd/graph.h"
#include "tensor/copy.h"

namespace heed {
namespace {

// In one struct: finding it costs more than reading it.
struct OfThread {
  bool recording = true;
  std::vector<Saved>* leaves_used = nullptr;
};
thread_local OfThread of_thread;

std::atomic<uint64_t> last_number = 0;
OpNames* op_names = nullptr;

Node& leaf_of(const Variable& x, const char* method) {
  const auto& node = GraphAccess::node(x);
  HEED_CHECK(node && node->is_leaf, method, "this Variable is ", node ? "the result of an op" : "a constant",
             "; only a leaf (a parameter) has it. Make one with Variable::leaf(tensor)");
  return *node;
}

}  // namespace

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
  if (leaf.grad.defined() && (leaf.grad.dtype() != value.dtype() || leaf.grad.device() != value.device()))
    leaf.grad = Tensor();
  leaf.value = value;
}

void Variable::set_requires_grad(bool wanted) { leaf_of(*this, "set_requires_grad").wanted = wanted; }

Variable detach(const Variable& x) { return Variable(x.value()); }

Recording::Recording(bool on) : before_(std::exchange(of_thread.recording, on)) {}
Recording::~Recording() { of_thread.recording = before_; }
bool grad_enabled() { return of_thread.recording; }

namespace {

const Variable& variable_of(const Input& x) { return *x.variable; }
const Variable& variable_of(const Variable& x) { return x; }

template <class Each>  // Input or Variable
std::shared_ptr<Node> make_node(const char* op, const Tensor* ys, size_t outputs, const Each* inputs, size_t count) {
  auto node = std::make_shared<Node>();
  node->op = op;
  node->number = ++last_number;
  node->inputs.reserve(count);
  for (size_t i = 0; i < count; i++) node->inputs.push_back(GraphAccess::edge(variable_of(inputs[i])));
  for (size_t i = 0; i < outputs; i++) node->shapes.push_back(ys[i].shape());
  return node;
}

template <class Each> void note_leaves_of(std::vector<Saved>& list, const Each* inputs, size_t count) {
  const Recording keeping(true);  // recompute runs under NoGrad, where Saved would stay empty
  for (size_t i = 0; i < count; i++)
    if (variable_of(inputs[i]).is_leaf()) list.push_back(Saved(variable_of(inputs[i])));
}

template <class Each> bool decide(const char* op, const Each* inputs, size_t count) {
  if (op_names) [[unlikely]] {
    op_names->recorded.insert(op);
    if (op_names->checking) op_names->checked.insert(op);
  }
  const OfThread& mine = of_thread;
  if (!mine.recording && !mine.leaves_used) return false;
  bool wanted = false;
  for (size_t i = 0; i < count; i++) wanted |= variable_of(inputs[i]).requires_grad();
  if (mine.leaves_used && wanted) note_leaves_of(*mine.leaves_used, inputs, count);
  return mine.recording && wanted;
}

}  // namespace

std::shared_ptr<Node> new_node(const char* op, const std::vector<Tensor>& ys, const std::vector<Variable>& inputs) {
  return make_node(op, ys.data(), ys.size(), inputs.data(), inputs.size());
}

bool is_recorded(const char* op, const Tensor& y, const Input* inputs, size_t count) {
  if (checks_finite()) [[unlikely]]
    check_finite(op, "it made", y, MinusInfinity::passes);
  return decide(op, inputs, count);
}

Variable record_node(const char* op, const Tensor& y, const Input* inputs, size_t count, BackwardOne backward) {
  auto node = make_node(op, &y, 1, inputs, count);
  node->backward = [backward = std::move(backward)](const std::vector<Tensor>& dys) { return backward(dys[0]); };
  return GraphAccess::make(y, node, 0);
}

bool are_recorded(const char* op, const std::vector<Tensor>& ys, const std::vector<Input>& inputs) {
  if (checks_finite()) [[unlikely]]
    for (const Tensor& y : ys) check_finite(op, "it made", y, MinusInfinity::passes);
  return decide(op, inputs.data(), inputs.size());
}

std::vector<Variable> record_node(const char* op, const std::vector<Tensor>& ys, const std::vector<Input>& inputs,
                                  BackwardMany backward) {
  auto node = make_node(op, ys.data(), ys.size(), inputs.data(), inputs.size());
  node->backward = std::move(backward);
  std::vector<Variable> out;
  for (size_t i = 0; i < ys.size(); i++) out.push_back(GraphAccess::make(ys[i], node, int(i)));
  return out;
}

std::vector<Saved>* note_leaves(std::vector<Saved>* list) { return std::exchange(of_thread.leaves_used, list); }

void watch_ops(OpNames* names) { op_names = names; }
OpNames* watched_ops() { return op_names; }

}  // namespace heed
