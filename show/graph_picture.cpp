// What GraphPicture notes of a graph: its boxes and lines before backward, its gradients while backward runs.
#include "show/graph_picture.h"

#include <algorithm>
#include <cstdio>

#include "autograd/graph.h"

namespace heed {
namespace {

constexpr size_t kMostBoxes = 200;             // more would not be legible
constexpr long kMostNumbers = 4, kPerRow = 2;  // in a box

// The elements in rows as they lie in the last axis, two side by side at most.
std::vector<std::string> numbers(const Tensor& x) {
  std::vector<std::string> rows;
  if (x.numel() > kMostNumbers) return rows;
  const long per_row = x.dims() == 0 ? 1 : std::clamp(x.shape().back(), 1L, kPerRow);
  const std::vector<double> values = x.to_vector<double>();
  for (size_t i = 0; i < values.size(); i++) {
    char text[32];
    std::snprintf(text, sizeof text, "%.4g", values[i]);
    if (i % per_row == 0)
      rows.emplace_back(text);
    else
      rows.back() += std::string(", ") + text;
  }
  return rows;
}

std::vector<std::string> gradient_text(const Tensor& g) {
  if (!g.defined()) return {};
  return g.numel() > kMostNumbers ? std::vector<std::string>{g.shape().str()} : numbers(g);
}

class Observe {  // for as long as it lives; whoever observed before still sees everything
 public:
  explicit Observe(const BackwardObserver& own) : before_(observe_backward(nullptr)) {
    observe_backward([own, before = before_](const Node& node, const std::vector<Tensor>& dys) {
      own(node, dys);
      if (before) before(node, dys);
    });
  }
  ~Observe() { observe_backward(before_); }
  Observe(const Observe&) = delete;
  Observe& operator=(const Observe&) = delete;

 private:
  BackwardObserver before_;
};

}  // namespace

GraphPicture::GraphPicture(const Variable& result, const Names& names) : result_(result) {
  check_defined("GraphPicture", result.value());
  if (!result.requires_grad())
    fail<GraphError>("GraphPicture", "nothing here requires a gradient, so no graph was recorded; use Variable::leaf");
  boxes_[visit(GraphAccess::node(result), 0)].kind = GraphBox::result;
  for (const auto& [text, x] : names) name(text, x);
  join_constants();
}

// The index of the node's box. Its inputs come first: boxes are in the order of computation. `above` counts the nodes
// whose inputs are being visited: they have no box yet, and without them a long chain would exhaust the stack.
int GraphPicture::visit(const std::shared_ptr<Node>& node, size_t above) {
  const auto known = std::find(nodes_.begin(), nodes_.end(), node);
  if (known != nodes_.end()) return int(known - nodes_.begin());
  if (node->used)
    fail<GraphError>("GraphPicture", "the graph of '", node->op,
                     "' was freed by backward. Make the picture first and call its backward() instead");
  HEED_CHECK(boxes_.size() + above < kMostBoxes, "GraphPicture", "the graph has more than ", kMostBoxes,
             " parameters and ops; nobody could read that. Draw a part of it, such as one layer");
  std::vector<int> inputs;
  for (const Edge& edge : node->inputs)
    if (edge.node) inputs.push_back(visit(edge.node, above + 1));
  const int own = int(boxes_.size());
  boxes_.push_back({node->is_leaf ? GraphBox::parameter : GraphBox::op, node->is_leaf ? "parameter" : node->op, {}});
  for (const Shape& shape : node->shapes) boxes_.back().outputs.push_back({"", shape, {}, {}});
  nodes_.push_back(node);
  for (int input : inputs) lines_.push_back({input, own});
  for (const Edge& edge : node->inputs)
    if (!edge.node && edge.defined) open_inputs_.push_back({own, edge.shape});
  return own;
}

void GraphPicture::name(const std::string& name, const Variable& x) {
  check_defined("GraphPicture", x.value());
  const Edge edge = GraphAccess::edge(x);
  if (!edge.node) {
    if (is_maths(x.dtype())) constants_.push_back({int(boxes_.size()), x.shape()});  // integers are no inputs
    boxes_.push_back({GraphBox::constant, "constant", {{name, x.shape(), numbers(x.value()), {}}}});
    nodes_.push_back(nullptr);
    return;
  }
  const auto known = std::find(nodes_.begin(), nodes_.end(), edge.node);
  HEED_CHECK(known != nodes_.end(), "GraphPicture", "'", name, "', ", x.shape(),
             ", is not in the graph of the result; name only what the result was computed from");
  GraphBox::Output& output = boxes_[known - nodes_.begin()].outputs[edge.output];
  output.name += (output.name.empty() ? "" : ", ") + name;
  output.value = numbers(x.value());
}

void GraphPicture::join_constants() {
  for (const Place& constant : constants_) {
    auto alike = [&](const Place& place) { return place.shape == constant.shape; };
    const auto input = std::find_if(open_inputs_.begin(), open_inputs_.end(), alike);
    if (std::count_if(open_inputs_.begin(), open_inputs_.end(), alike) != 1) continue;
    if (std::count_if(constants_.begin(), constants_.end(), alike) != 1) continue;
    lines_.insert(lines_.begin(), {constant.box, input->box});
  }
}

void GraphPicture::backward() {
  Observe note([this](const Node& node, const std::vector<Tensor>& dys) {
    for (size_t i = 0; i < nodes_.size(); i++)
      if (nodes_[i].get() == &node)
        for (size_t k = 0; k < dys.size(); k++) boxes_[i].outputs[k].gradient = gradient_text(dys[k]);
  });
  result_.backward();
  for (size_t i = 0; i < nodes_.size(); i++)
    if (nodes_[i] && nodes_[i]->is_leaf) boxes_[i].outputs[0].gradient = gradient_text(nodes_[i]->grad);
}

}  // namespace heed
