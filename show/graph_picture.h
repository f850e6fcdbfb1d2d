// GraphPicture: the graph behind a small expression, and the gradient that flows back through it, as a picture.
//
//   GraphPicture picture(loss, {{"x", x}, {"w", w}, {"loss", loss}});  // notes the ops and what the named ones hold
//   picture.backward();                                                // loss.backward(), noting what arrives where
//   write_file("graph.svg", picture.svg());
//
// A box is a parameter, an op or the result. It shows its name if it was given one, its shape and, of the named ones,
// the value; below, in red, the gradient of the result with respect to it. Numbers are shown up to four elements.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "autograd/variable.h"
#include "show/picture.h"

namespace heed {

// What a box says.
struct GraphBox {
  enum Kind { parameter, op, result, constant };
  struct Output {  // an op may have several
    std::string name;
    Shape shape;
    std::vector<std::string> value, gradient;  // rows of numbers; a gradient of more than four elements: its shape
  };
  Kind kind = op;
  std::string title;  // the op
  std::vector<Output> outputs;
};

struct GraphLine {
  int from = 0, to = 0;  // indices of boxes: to was computed from from
};

class GraphPicture {
 public:
  using Names = std::vector<std::pair<std::string, Variable>>;

  // Before backward, which frees the graph. The graph keeps no constants, so an op's constant inputs are drawn only
  // when they are named, and joined to the op if just one input and just one named constant have that shape.
  explicit GraphPicture(const Variable& result, const Names& names = {});

  // Runs result.backward(). An op shows the gradient that arrived, a parameter its grad().
  void backward();

  const std::vector<GraphBox>& boxes() const { return boxes_; }  // in the order of computation, constants last
  const std::vector<GraphLine>& lines() const { return lines_; }

  // From left to right if that is narrow enough for a page, otherwise from top to bottom. The same graph gives the same
  // text, and names may hold any characters.
  std::string svg() const;
  Picture picture() const;  // names in ASCII

 private:
  struct Place {
    int box;
    Shape shape;
  };
  int visit(const std::shared_ptr<Node>& node, size_t above);
  void name(const std::string& name, const Variable& x);
  void join_constants();

  Variable result_;
  std::vector<GraphBox> boxes_;
  std::vector<GraphLine> lines_;
  std::vector<std::shared_ptr<Node>> nodes_;    // of the boxes; null for constants
  std::vector<Place> constants_, open_inputs_;  // named constants, and inputs of ops that are constants
};

}  // namespace heed
