// Variable: a Tensor and its place in the graph of recorded ops. Models are written on Variables; an op is a few
// lines: call the door on Tensor, then record how its gradient is made (see README.md of this folder).
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "tensor/tensor.h"

namespace heed {

struct Node;  // graph.h

class Variable {
 public:
  Variable() = default;
  Variable(Tensor value);              // a constant: no gradient flows into it
  static Variable leaf(Tensor value);  // a parameter: backward adds its gradient up in grad()

  bool defined() const { return value_.defined(); }
  const Tensor& value() const { return value_; }
  const Shape& shape() const { return value_.shape(); }
  long size(int axis) const { return value_.size(axis); }
  int dims() const { return value_.dims(); }
  long numel() const { return value_.numel(); }
  DType dtype() const { return value_.dtype(); }
  double item() const { return value_.item(); }

  bool requires_grad() const;  // does a gradient flow into it? Leaves do, and what was computed from them
  bool is_leaf() const;

  // Runs the graph backwards from this scalar: every leaf's grad() grows by scale * dthis/dleaf. The graph is freed
  // on the way; there is no second backward and no gradient of a gradient.
  void backward(double scale = 1) const;
  void backward(const Tensor& dy) const;  // from any shape, with the gradient dy that arrives here

  // Leaves only.
  Tensor grad() const;                  // undefined before the first backward
  void set_grad(const Tensor& buffer);  // backward adds to this tensor from now on
  void zero_grad();                     // keeps a buffer that was set
  void set_value(const Tensor& value);  // same shape; a gradient of another dtype is dropped
  void set_requires_grad(bool wanted);  // a frozen parameter takes no gradient

 private:
  friend struct GraphAccess;
  Tensor value_;
  std::shared_ptr<Node> node_;  // the op that made it, or the leaf; null for a constant
  int output_ = 0;              // which of the node's outputs this is
};

// The same elements without a past.
Variable detach(const Variable& x);

// While one lives, nothing is recorded in this thread.
class NoGrad {
 public:
  NoGrad();
  ~NoGrad();
  NoGrad(const NoGrad&) = delete;
  NoGrad& operator=(const NoGrad&) = delete;

 private:
  bool before_;
};
bool grad_enabled();

// A tensor kept for backward. It remembers the version of its storage and refuses to be used if somebody wrote there
// since: the gradient would be wrong without a word.
class Saved {
 public:
  Saved() = default;
  Saved(const Tensor& x);
  Saved(const Variable& x) : Saved(x.value()) {}
  const Tensor& get() const;  // throws GraphError
  operator const Tensor&() const { return get(); }

 private:
  Tensor x_;
  uint64_t version_ = 0;
};

// The gradients that an op's backward returns, one per input and in their order; undefined means none.
struct Grads {
  std::vector<Tensor> list;
  Grads(Tensor only) { list.push_back(std::move(only)); }
  Grads(std::initializer_list<Tensor> all) : list(all) {}
  Grads(std::vector<Tensor> all) : list(std::move(all)) {}
};

using BackwardOne = std::function<Grads(const Tensor& dy)>;
using BackwardMany = std::function<Grads(const std::vector<Tensor>& dys)>;  // undefined where no gradient arrived

// Makes y a Variable that knows how it came about: y = op(inputs), and backward(dy) gives the inputs' gradients. What
// backward needs is captured as Saved. If no input requires a gradient, y comes back bare.
Variable record(const char* op, const Tensor& y, const std::vector<Variable>& inputs, BackwardOne backward);
// An op with several outputs.
std::vector<Variable> record_many(const char* op, const std::vector<Tensor>& ys, const std::vector<Variable>& inputs,
                                  BackwardMany backward);

}  // namespace heed
