// graph: one neuron, its loss and its gradients as a picture.
//
//   build/graph             writes runs/graph/graph.svg and prints the same numbers
#include <cstdio>

#include "autograd/ops/elementwise.h"
#include "autograd/ops/matmul.h"
#include "autograd/ops/reduce.h"
#include "show/graph_picture.h"
#include "system/command_line.h"
#include "system/write_file.h"
#include "tensor/create.h"

using namespace heed;

namespace {

// Two examples of two features go into a neuron that should say -1 and 1.
GraphPicture draw_neuron() {
  const Variable x = Variable::leaf(tensor({1, -2, 0.5, 3}, {2, 2}));  // a leaf, to see the gradient of data as well
  const Variable w = Variable::leaf(tensor({0.6, 0.2}, {2, 1}));
  const Variable b = Variable::leaf(tensor({-0.4}, {1}));
  const Variable target = tensor({-1, 1}, {2, 1});

  const Variable u = matmul(x, w);
  const Variable s = u + b;
  const Variable y = tanh(s);
  const Variable error = y - target;
  const Variable squared = error * error;
  const Variable loss = mean(squared);

  GraphPicture picture(loss, {{"x", x},
                              {"w", w},
                              {"b", b},
                              {"target", target},
                              {"u", u},
                              {"s", s},
                              {"y", y},
                              {"error", error},
                              {"squared", squared},
                              {"loss", loss}});
  picture.backward();
  return picture;
}

std::string in_brackets(const std::vector<std::string>& rows) {
  std::string text;
  for (const std::string& row : rows) text += (text.empty() ? "" : "; ") + row;
  return rows.empty() ? "" : "[" + text + "]";
}

void print(const GraphPicture& picture) {
  std::printf("%-8s %-10s %-7s %-22s %s\n", "name", "made by", "shape", "value", "gradient of the loss");
  for (const GraphBox& box : picture.boxes())
    for (const GraphBox::Output& output : box.outputs)
      std::printf("%-8s %-10s %-7s %-22s %s\n", output.name.c_str(), box.title.c_str(), output.shape.str().c_str(),
                  in_brackets(output.value).c_str(), in_brackets(output.gradient).c_str());
}

int body(int argc, char** argv) {
  std::string out = "runs/graph/graph.svg";
  CommandLine line("graph", "Draws the graph of a neuron and the gradients that flow back through it.");
  line.option("--out", out, "the picture, an SVG or a PNG file");
  if (!line.parse(argc, argv)) return line.exit_code();
  const GraphPicture picture = draw_neuron();
  out.ends_with(".png") ? picture.picture().write_png(out) : write_file(out, picture.svg());
  print(picture);
  std::printf("\nThe picture is in %s\n", out.c_str());
  return 0;
}

}  // namespace

int main(int argc, char** argv) { return run("graph", body, argc, argv); }
