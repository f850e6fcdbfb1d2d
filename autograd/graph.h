// The graph behind Variables, for autograd's own files and for drawing it. Users need variable.h only.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "autograd/variable.h"

namespace heed {

// Where a gradient goes: one output of a node, and what it must look like.
struct Edge {
  std::shared_ptr<Node> node;  // null: no gradient wanted
  int output = 0;
  Shape shape;
  DType dtype = f32;
  bool defined = true;  // false: an optional input that was not given
};

// A recorded op, or a leaf. Edges point to where its inputs came from; the inputs' values are not kept.
struct Node {
  const char* op = "leaf";
  uint64_t number = 0;  // runs up; backward takes the highest first, so the order of additions is fixed
  std::vector<Edge> inputs;
  std::vector<Shape> shapes;  // of the outputs
  BackwardMany backward;
  std::function<std::vector<Variable>()> replay;    // recompute: records its ops now instead
  std::vector<std::shared_ptr<const Again>> again;  // of the outputs that are recomputable

  bool is_leaf = false, wanted = true;  // wanted: a leaf that is not frozen
  Tensor value, grad;                   // a leaf's value and gradient

  std::vector<Tensor> arriving;  // gradients of the outputs while backward runs
  bool queued = false, used = false;

  Node() = default;
  ~Node();  // a long chain of nodes is freed without recursion
};

// The doors between Variable and its node.
struct GraphAccess {
  static const std::shared_ptr<Node>& node(const Variable& x) { return x.node_; }
  static int output(const Variable& x) { return x.output_; }
  static Edge edge(const Variable& x);
  static Variable make(const Tensor& value, std::shared_ptr<Node> node, int output);
};

// A new node in the graph, recorded whether or not an input requires a gradient.
std::shared_ptr<Node> new_node(const char* op, const std::vector<Tensor>& ys, const std::vector<Variable>& inputs);

// Sees every node just before its backward runs, with the gradients that arrived; for pictures and diagnostics.
using BackwardObserver = std::function<void(const Node& node, const std::vector<Tensor>& dys)>;
BackwardObserver observe_backward(BackwardObserver observer);  // for this thread; returns the one before

// While a list is set in this thread, every leaf that takes part in an op is noted there; returns the list before.
std::vector<Saved>* note_leaves(std::vector<Saved>* list);
class NotingLeaves {
 public:
  explicit NotingLeaves(std::vector<Saved>* list) : outer_(note_leaves(list)) {}
  ~NotingLeaves() { note_leaves(outer_); }
  NotingLeaves(const NotingLeaves&) = delete;
  NotingLeaves& operator=(const NotingLeaves&) = delete;

 private:
  std::vector<Saved>* outer_;
};

double loss_scale();             // of the backward that runs now: what attach_loss multiplies its weight by
const char* running_backward();  // the op whose backward runs now; "backward" outside of one

// For the tests: the names of all ops that were recorded, and of those recorded inside of a gradcheck.
struct OpNames {
  std::set<std::string> recorded, checked;
  bool checking = false;
};
void watch_ops(OpNames* names);  // null stops watching
OpNames* watched_ops();

}  // namespace heed
