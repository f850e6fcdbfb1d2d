// Variable: a Tensor and its place in the graph of recorded ops. Models are written on Variables; an op is a few
// lines: call the door on Tensor, then record how its gradient is made (see README.md of this folder).
#pragma once

#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "autograd/saved.h"
#include "tensor/tensor.h"

namespace heed {

struct Node;  // graph.h

class Variable {
 public:
  Variable() = default;
  Variable(const Tensor& value) : value_(value) {}  // a constant: no gradient flows into it
  Variable(Tensor&& value) : value_(std::move(value)) {}
  static Variable leaf(Tensor value);  // a parameter: backward adds its gradient up in grad()

  bool defined() const { return value().defined(); }
  const Tensor& value() const;
  const Shape& shape() const { return value().shape(); }
  long size(int axis) const { return value().size(axis); }
  int dims() const { return value().dims(); }
  long numel() const { return value().numel(); }
  DType dtype() const { return value().dtype(); }
  double item() const { return value().item(); }

  bool requires_grad() const;  // does a gradient flow into it? Leaves do, and what was computed from them
  bool is_leaf() const;

  // Runs the graph backwards from this scalar: every leaf's grad() grows by scale * dthis/dleaf. The graph is freed
  // on the way; there is no second backward and no gradient of a gradient. If it throws, leaves keep what had arrived:
  // zero_grad before the next. Only one thread at a time may run backward into a leaf.
  void backward(double scale = 1) const;
  // The same for a sum that becomes a mean by its scale, 1 / count: losses that were attached on the way
  // (attach_loss.h) are means already, and have a scale of their own, such as the share of this micro-batch.
  void backward(double scale, double attached_scale) const;
  void backward(const Tensor& dy) const;  // from any shape, with the gradient dy that arrives here

  // Leaves only.
  Tensor grad() const;                  // undefined before the first backward; clone it to keep it
  void set_grad(const Tensor& buffer);  // backward adds to this tensor from now on
  void zero_grad();                     // keeps a buffer that was set
  void set_value(const Tensor& value);  // same shape; a gradient of another dtype or device is dropped
  void set_requires_grad(bool wanted);  // a frozen parameter takes no gradient

 private:
  friend struct GraphAccess;
  Tensor value_;                // of a leaf: undefined, its node has it, so that all copies see a new value
  std::shared_ptr<Node> node_;  // the op that made it, or the leaf; null for a constant
  int output_ = 0;              // which of the node's outputs this is
};

// The same elements without a past.
Variable detach(const Variable& x);

// While one lives, ops in this thread are recorded, or not.
class Recording {
 public:
  explicit Recording(bool on);
  ~Recording();
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;

 private:
  bool before_;
};
class NoGrad : public Recording {
 public:
  NoGrad() : Recording(false) {}
};
bool grad_enabled();

// The gradients that an op's backward returns, one per input and in their order; undefined means none.
struct Grads {
  std::vector<Tensor> list;
  Grads(Tensor only) { list.push_back(std::move(only)); }
  Grads(std::initializer_list<Tensor> all) : list(all) {}
  Grads(std::vector<Tensor> all) : list(std::move(all)) {}
};

using BackwardOne = std::function<Grads(const Tensor& dy)>;
using BackwardMany = std::function<Grads(const std::vector<Tensor>& dys)>;  // undefined where no gradient arrived

// Looks at an argument of the op instead of copying it.
struct Input {
  const Variable* variable;
  Input(const Variable& x) : variable(&x) {}
};

// Makes y a Variable that knows how it came about: y = op(inputs), and backward(dy) gives the inputs' gradients. What
// backward needs is captured as Saved (saved.h). An input may be undefined, such as the bias of a layer without one;
// the gradient that backward returns in its place is dropped. If no input requires a gradient, y comes back bare and
// nothing is allocated.
template <class F>  // BackwardOne
Variable record(const char* op, const Tensor& y, std::initializer_list<Input> inputs, F&& backward);
template <class F> Variable record(const char* op, const Tensor& y, const std::vector<Variable>& inputs, F&& backward);
// An op with several outputs.
template <class F>  // BackwardMany
std::vector<Variable> record_many(const char* op, const std::vector<Tensor>& ys, const std::vector<Input>& inputs,
                                  F&& backward);

// ---- how record decides; it also looks at y, if somebody wants to know what is not finite (finite.h)
bool is_recorded(const char* op, const Tensor& y, const Input* inputs, size_t count);
bool are_recorded(const char* op, const std::vector<Tensor>& ys, const std::vector<Input>& inputs);
Variable record_node(const char* op, const Tensor& y, const Input* inputs, size_t count, BackwardOne backward);
std::vector<Variable> record_node(const char* op, const std::vector<Tensor>& ys, const std::vector<Input>& inputs,
                                  BackwardMany backward);

template <class F> Variable record(const char* op, const Tensor& y, std::initializer_list<Input> inputs, F&& backward) {
  if (!is_recorded(op, y, inputs.begin(), inputs.size())) return y;
  return record_node(op, y, inputs.begin(), inputs.size(), std::forward<F>(backward));
}

template <class F> Variable record(const char* op, const Tensor& y, const std::vector<Variable>& inputs, F&& backward) {
  const std::vector<Input> list(inputs.begin(), inputs.end());
  if (!is_recorded(op, y, list.data(), list.size())) return y;
  return record_node(op, y, list.data(), list.size(), std::forward<F>(backward));
}

template <class F>
std::vector<Variable> record_many(const char* op, const std::vector<Tensor>& ys, const std::vector<Input>& inputs,
                                  F&& backward) {
  if (!are_recorded(op, ys, inputs)) return {ys.begin(), ys.end()};
  return record_node(op, ys, inputs, std::forward<F>(backward));
}

}  // namespace heed
