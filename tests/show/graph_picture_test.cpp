#include "show/graph_picture.h"

#include <cstdio>
#include <string>
#include <vector>

#include "autograd/graph.h"
#include "autograd/ops/elementwise.h"
#include "autograd/ops/matmul.h"
#include "autograd/ops/reduce.h"
#include "show/graph_picture_layout.h"
#include "system/text.h"
#include "tensor/create.h"
#include "tests/show/xml.h"
#include "tests/support/compare.h"
#include "tests/support/error_of.h"

using namespace heed;

namespace {

// Texts by their colours: titles stand on a strong one, names are bold, gradients are red.
long titles(const std::string& svg, const std::string& op) {
  return count(svg, "fill='" + hex(palette::kBackground) + "'>" + op + "</text>");
}
long names(const std::string& svg, const std::string& name) {
  return count(svg, "font-weight='600' fill='" + hex(palette::kInk) + "'>" + name + "</text>");
}
long gradients(const std::string& svg, const std::string& row) {
  return count(svg, "fill='" + hex(palette::kRed) + "'>" + row + "</text>");
}
// The heads of arrows.
long forwards(const std::string& svg) { return count(svg, "Z' fill='" + hex(palette::kInk) + "'/>"); }
long backwards(const std::string& svg) { return count(svg, "Z' fill='" + hex(palette::kRed) + "'/>"); }

std::string number(double x) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4g", x);
  return text;
}

struct Neuron {  // loss = mean((tanh(x w + b) - t)^2)
  Variable x = Variable::leaf(tensor({1, -2, 0.5, 3}, {2, 2})), w = Variable::leaf(tensor({0.6, 0.2}, {2, 1}));
  Variable b = Variable::leaf(tensor({-0.4})), t = tensor({-1, 1}, {2, 1});
  Variable y = tanh(matmul(x, w) + b), error = y - t, loss = mean(error * error);
  GraphPicture picture{loss, {{"x", x}, {"w", w}, {"b", b}, {"t", t}, {"y", y}, {"error", error}, {"loss", loss}}};
};

Variable chain(int length) {
  Variable x = Variable::leaf(scalar(1));
  for (int i = 0; i < length; i++) x = x + 1;
  return x;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(graph_picture)

BOOST_AUTO_TEST_CASE(every_op_and_every_name_appears_once) {
  const std::string svg = Neuron().picture.svg();
  for (const char* op : {"matmul", "add", "tanh", "sub", "mul", "mean", "constant"})
    BOOST_TEST(titles(svg, op) == 1, op);
  BOOST_TEST(titles(svg, "parameter") == 3);
  for (const char* name : {"x", "w", "b", "t", "y", "error", "loss"}) BOOST_TEST(names(svg, name) == 1, name);
}

BOOST_AUTO_TEST_CASE(an_arrow_stands_for_every_use_of_a_value) {
  Neuron n;
  BOOST_TEST(forwards(n.picture.svg()) == 10 + 1);  // error * error: twice; and one in the legend
  BOOST_TEST(backwards(n.picture.svg()) == 0);
  n.picture.backward();
  BOOST_TEST(forwards(n.picture.svg()) == 10 + 1);
  BOOST_TEST(backwards(n.picture.svg()) == 9 + 1);  // none into the constant
}

BOOST_AUTO_TEST_CASE(a_parameter_shows_its_grad) {
  Neuron n;
  n.picture.backward();
  const std::string svg = n.picture.svg();
  for (const Variable& leaf : {n.w, n.b})
    for (double g : leaf.grad().to_vector<double>()) BOOST_TEST(gradients(svg, number(g)) == 1);
  const auto dx = n.x.grad().to_vector<double>();
  BOOST_TEST(gradients(svg, number(dx[0]) + ", " + number(dx[1])) == 1);
  BOOST_TEST(gradients(svg, number(dx[2]) + ", " + number(dx[3])) == 1);
}

BOOST_AUTO_TEST_CASE(an_op_shows_the_sum_of_what_arrived_from_its_users) {
  const Variable a = Variable::leaf(scalar(3));
  const Variable b = a * 2, loss = b * b + b;  // dloss/db = 2 b + 1
  GraphPicture picture(loss, {{"b", b}});
  picture.backward();
  for (const GraphBox& box : picture.boxes())
    if (box.outputs[0].name == "b") BOOST_TEST(box.outputs[0].gradient.at(0) == "13");
  BOOST_TEST(a.grad().item() == 26);
}

BOOST_AUTO_TEST_CASE(backward_gives_the_gradients_of_a_plain_backward) {
  Neuron drawn, plain;
  drawn.picture.backward();
  plain.loss.backward();
  BOOST_TEST(same_bits(drawn.w.grad(), plain.w.grad()));
  BOOST_TEST(same_bits(drawn.x.grad(), plain.x.grad()));
}

BOOST_AUTO_TEST_CASE(who_observed_before_sees_everything_and_stays) {
  int seen = 0;
  const auto before = observe_backward([&](const Node&, const std::vector<Tensor>&) { seen++; });
  Neuron().picture.backward();
  BOOST_TEST(seen == 6);
  chain(3).backward();
  BOOST_TEST(seen == 9);
  observe_backward(before);
}

BOOST_AUTO_TEST_CASE(more_than_four_elements_show_as_their_shape) {
  const Variable x = Variable::leaf(full({5}, 0.125)), loss = sum(x * x);
  GraphPicture picture(loss, {{"x", x}});
  picture.backward();
  BOOST_TEST(count(picture.svg(), "0.125") == 0);
  BOOST_TEST(gradients(picture.svg(), "(5,)") == 2);  // of x and of x * x
}

BOOST_AUTO_TEST_CASE(any_name_gives_well_formed_xml) {
  const Variable x = Variable::leaf(scalar(2)), loss = x * x;
  GraphPicture picture(loss, {{"a<b> & 'c' \"d\"\n\x01", x}, {"∂x/∂t", loss}, {"</svg>", loss}});
  picture.backward();
  BOOST_TEST(xml_problem(picture.svg()) == "");
  BOOST_TEST(names(picture.svg(), "a&lt;b&gt; &amp; 'c' \"d\"  ") == 1);
  BOOST_TEST(names(picture.svg(), "∂x/∂t, &lt;/svg&gt;") == 1);
  BOOST_TEST(xml_problem(Neuron().picture.svg()) == "");
}

BOOST_AUTO_TEST_CASE(the_same_graph_gives_the_same_picture) {
  Neuron a, b;
  BOOST_TEST(a.picture.svg() == b.picture.svg());
  a.picture.backward();
  b.picture.backward();
  BOOST_TEST(a.picture.svg() == b.picture.svg());
}

BOOST_AUTO_TEST_CASE(pixels_show_the_same_picture) {
  Neuron n;
  n.picture.backward();
  const Picture picture = n.picture.picture();
  BOOST_TEST(count(n.picture.svg(), format("width='%ld' height='%ld'", picture.width(), picture.height())) == 1);
  bool box = false, gradient = false;
  for (long y = 0; y < picture.height(); y++)
    for (long x = 0; x < picture.width(); x++) {
      box |= picture.at(x, y) == palette::kGreen;
      gradient |= picture.at(x, y) == palette::kPink;
    }
  BOOST_TEST((box && gradient));
}

BOOST_AUTO_TEST_CASE(constants_of_equal_shape_are_drawn_without_guessing_their_place) {
  const Variable x = Variable::leaf(scalar(2)), a = scalar(3), b = scalar(4), loss = x * a + b;
  GraphPicture picture(loss, {{"a", a}, {"b", b}});
  BOOST_TEST(titles(picture.svg(), "constant") == 2);
  BOOST_TEST(picture.lines().size() == 2);
}

BOOST_AUTO_TEST_CASE(a_long_chain_runs_downwards_and_a_short_one_to_the_right) {
  auto width = [](const std::string& svg) { return std::stoi(svg.substr(svg.find("width='") + 7)); };
  auto height = [](const std::string& svg) { return std::stoi(svg.substr(svg.find("height='") + 8)); };
  const std::string few = GraphPicture(chain(5)).svg(), many = GraphPicture(chain(12)).svg();
  BOOST_TEST(width(few) > height(few));
  BOOST_TEST(width(many) < height(many));
  BOOST_TEST(width(many) <= 1000);
}

BOOST_AUTO_TEST_CASE(large_graphs_are_refused) {
  BOOST_TEST(!GraphPicture(chain(199)).svg().empty());
  const std::string text =
      "GraphPicture: the graph has more than 200 parameters and ops; nobody could read that. Draw a part of it, such "
      "as one layer";
  BOOST_TEST(error_of([] { GraphPicture picture(chain(200)); }) == text);
  BOOST_TEST(error_of([] { GraphPicture picture(chain(100'000)); }) == text);  // without exhausting the stack
}

BOOST_AUTO_TEST_CASE(what_cannot_be_drawn_is_refused) {
  const Variable x = Variable::leaf(scalar(2)), y = x * x;
  BOOST_TEST(error_of([&] {
               GraphPicture picture(y, {{"z", Variable::leaf(ones({3}))}});
             }) ==
             "GraphPicture: 'z', (3,), is not in the graph of the result; name only what the result was computed from");
  BOOST_TEST(error_of([&] { GraphPicture picture(scalar(2)); }) ==
             "GraphPicture: nothing here requires a gradient, so no graph was recorded; use Variable::leaf");
  y.backward();
  BOOST_TEST(error_of([&] { GraphPicture picture(y); }) ==
             "GraphPicture: the graph of 'mul' was freed by backward. Make the picture first and call its backward() "
             "instead");
}

BOOST_AUTO_TEST_CASE(boxes_do_not_overlap_and_lines_run_around_them) {
  std::vector<LayoutLine> lines;
  for (int to = 3; to < 40; to++)
    for (int from : {to - 1 - to % 3, to * 7 % (to - 1), to * 3 % to}) lines.push_back({from, to});
  const Layout layout = lay_out(std::vector<LayoutBox>(40, {60, 40}), lines);
  auto apart = [](double a, double a_size, double b, double b_size) { return a + a_size <= b || b + b_size <= a; };
  for (size_t i = 0; i < layout.boxes.size(); i++) {
    const LayoutBox& a = layout.boxes[i];
    for (size_t j = 0; j < i; j++) {
      const LayoutBox& b = layout.boxes[j];
      BOOST_TEST((apart(a.corner.along, a.along, b.corner.along, b.along) ||
                  apart(a.corner.across, a.across, b.corner.across, b.across)));
    }
    for (const LayoutLine& line : layout.lines)
      for (const LayoutPoint& p : line.points) {  // a point touches the rim of its own boxes and no other box
        const bool beside = p.along < a.corner.along || p.along > a.corner.along + a.along ||
                            apart(a.corner.across, a.across, p.across, 0);
        const bool rim = p.along == a.corner.along || p.along == a.corner.along + a.along;
        BOOST_TEST((beside || (rim && (line.from == int(i) || line.to == int(i)))));
      }
  }
}

BOOST_AUTO_TEST_SUITE_END()
