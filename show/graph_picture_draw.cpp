// How GraphPicture looks: the sizes of its boxes, their text, the arrows and the legend.
#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "show/graph_picture.h"
#include "show/graph_picture_layout.h"
#include "show/svg.h"

namespace heed {
namespace {

using namespace palette;

constexpr double kPage = 1000, kMargin = 16, kLegend = 32;  // pixels; a wider picture runs downwards
constexpr double kHeader = 22, kRow = 17, kPad = 5, kSide = 8, kNarrowest = 66;
constexpr double kBold = 7.8, kMono = 7.3;  // the width of a letter, on the wide side: the viewer chooses the font
constexpr double kBeside = 4;               // half the distance between an arrow and the gradient's arrow
constexpr double kHead = 8;                 // the length of an arrow's head

struct Look {
  const char* label;
  Colour colour;
  double corner;
};
constexpr Look kLooks[] = {
    {"parameter", kGreen, 10}, {"op", kBlue, 3}, {"result", kPurple, 3}, {"constant", kGrey, 10}};

constexpr TextStyle kTitle{.size = 9, .colour = kBackground, .align = Align::centre, .weight = 0.2};
constexpr TextStyle kName{.size = 9.2, .align = Align::centre, .weight = 0.2};
constexpr TextStyle kValue{.size = 8.6, .align = Align::centre, .monospaced = true};
constexpr TextStyle kShape{.size = 7.9, .align = Align::centre, .alpha = 0.7, .monospaced = true};
constexpr TextStyle kGradient{.size = 8.6, .colour = kRed, .align = Align::centre, .monospaced = true};
constexpr Stroke kForwards{.width = 1.5, .alpha = 0.85}, kBackwards{.width = 1.1, .colour = kRed, .dashed = true};

double letters(const std::string& text) {  // of UTF-8: the bytes that do not continue one
  return double(std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

// The rows of text in a box, and the room they take.
struct Rows {
  std::vector<std::pair<std::string, TextStyle>> text;
  double width = 0;

  void add(const std::string& row, const TextStyle& style) {
    text.emplace_back(row, style);
    width = std::max(width, letters(row) * (style.monospaced ? kMono : kBold) + 2 * kSide);
  }
  double height() const { return text.empty() ? 0 : double(text.size()) * kRow + 2 * kPad; }
  void draw(Canvas& canvas, double middle, double top) const {
    for (const auto& [row, style] : text) canvas.text({middle, (top += kRow) + kPad - 4.5}, row, style);
  }
};

struct Content {
  Rows body, gradient;
  double width = 0, height = 0;
};

Content content_of(const GraphBox& box) {
  Content content;
  for (const GraphBox::Output& output : box.outputs) {
    if (!output.name.empty()) content.body.add(output.name, kName);
    content.body.add(output.shape.str(), kShape);
    for (const std::string& row : output.value) content.body.add(row, kValue);
    for (const std::string& row : output.gradient) content.gradient.add(row, kGradient);
  }
  const double title = letters(box.title) * kBold + 2 * kSide;
  content.width = std::max({kNarrowest, title, content.body.width, content.gradient.width});
  content.height = kHeader + content.body.height() + content.gradient.height();
  return content;
}

struct Turn {  // from the layout's directions to x and y
  bool sideways = true;
  double left = kMargin;
  Point at(const LayoutPoint& p) const {
    return {left + (sideways ? p.along : p.across), kMargin + (sideways ? p.across : p.along)};
  }
};

// The header and the gradient's footer have round corners; the body between them hides those that are not the box's.
void draw_box(Canvas& canvas, const GraphBox& box, const Content& content, const LayoutBox& place, const Turn& turn) {
  const auto [x, y] = turn.at(place.corner);
  const double w = turn.sideways ? place.along : place.across, h = turn.sideways ? place.across : place.along;
  const auto& [label, colour, r] = kLooks[box.kind];
  const double gradient = content.gradient.height(), footer = std::max(gradient, r);
  canvas.rectangle({x, y, w, kHeader + r, r}, colour);
  canvas.rectangle({x, y + h - footer - r, w, footer + r, r}, gradient > 0 ? kPink : kCard);
  canvas.rectangle({x, y + kHeader, w, h - kHeader - footer}, kCard);
  canvas.frame({x, y, w, h, r}, {.width = 1.5, .colour = colour});
  canvas.text({x + w / 2, y + 15.5}, box.title, kTitle);
  const double slack = h - kHeader - content.body.height() - gradient;
  content.body.draw(canvas, x + w / 2, y + kHeader + slack / 2);
  content.gradient.draw(canvas, x + w / 2, y + h - gradient);
}

// Points at `tip`, along the layout's direction or against it.
void draw_head(Canvas& canvas, const LayoutPoint& tip, const Turn& turn, bool backwards) {
  const double along = tip.along + (backwards ? kHead : -kHead), half = backwards ? 3 : 3.5;
  canvas.polygon({turn.at(tip), turn.at({along, tip.across - half}), turn.at({along, tip.across + half})},
                 backwards ? kRed : kInk);
}

// Curves in the gaps between layers, straight where the line passes one.
void draw_line(Canvas& canvas, std::vector<LayoutPoint> points, const Turn& turn, bool backwards) {
  const double beside = backwards ? kBeside : -kBeside;
  for (LayoutPoint& p : points) p.across += beside;
  if (backwards) std::reverse(points.begin(), points.end());
  const LayoutPoint tip = points.back();
  points.back().along += backwards ? kHead / 2 : -kHead / 2;  // the pen is as wide as the tip of the arrow is narrow
  Curve spline = {turn.at(points[0])};
  const auto to = [&](const LayoutPoint& control, const LayoutPoint& other, const LayoutPoint& end) {
    spline.insert(spline.end(), {turn.at(control), turn.at(other), turn.at(end)});
  };
  for (size_t i = 0; i + 1 < points.size(); i += 2) {
    const LayoutPoint a = points[i], b = points[i + 1];
    if (i > 0) to(points[i - 1], a, a);
    const double slope = std::clamp((b.across - a.across) / (b.along - a.along), -1.5, 1.5);
    const double middle = (a.along + b.along) / 2 - beside * slope;  // the two stay apart where they are steep
    to({middle, a.across}, {middle, b.across}, b);
  }
  canvas.spline(spline, backwards ? kBackwards : kForwards);
  draw_head(canvas, tip, turn, backwards);
}

// What occurs in the picture: kinds of boxes, and one or two kinds of arrows.
struct Legend {
  std::vector<Look> looks = {};
  bool gradients = false;

  static double room(const char* label) { return 7 * letters(label) + 22; }
  double width() const {
    double sum = 40 + room("value") + (gradients ? 40 + room("gradient") : 0);
    for (const Look& look : looks) sum += 25 + room(look.label);
    return kMargin + sum;
  }

  void draw(Canvas& canvas, double y) const {
    double x = kMargin;
    const auto say = [&](double sign, const char* label) {
      canvas.text({x + sign, y + 4}, label, {.size = 8.6});
      x += sign + room(label);
    };
    for (const Look& look : looks) {
      canvas.rectangle({x, y - 6, 18, 12, look.corner / 2}, look.colour);
      say(25, look.label);
    }
    const Turn plain{.sideways = true, .left = 0};
    for (const bool backwards : {false, true}) {
      if (backwards && !gradients) continue;
      const double from = backwards ? x + 32 : x, to = backwards ? x : x + 32;
      canvas.line({from, y}, {(from + to) / 2 + (to - from) / 4, y}, backwards ? kBackwards : kForwards);
      draw_head(canvas, {to, y - kMargin}, plain, backwards);
      say(40, backwards ? "gradient" : "value");
    }
  }
};

Legend legend_of(const std::vector<GraphBox>& boxes, bool gradients) {
  Legend legend{{}, gradients};
  for (size_t kind = 0; kind < std::size(kLooks); kind++)
    if (std::any_of(boxes.begin(), boxes.end(), [&](const GraphBox& box) { return size_t(box.kind) == kind; }))
      legend.looks.push_back(kLooks[kind]);
  return legend;
}

struct Plan {
  Layout layout = {};
  Turn turn = {};
  double width() const { return (turn.sideways ? layout.along : layout.across) + 2 * kMargin; }
  double height() const { return (turn.sideways ? layout.across : layout.along) + 2 * kMargin; }
};

Plan plan(const std::vector<Content>& contents, const std::vector<GraphLine>& lines, bool sideways) {
  std::vector<LayoutBox> boxes;
  std::vector<LayoutLine> ways;
  for (const Content& c : contents) boxes.push_back({sideways ? c.width : c.height, sideways ? c.height : c.width});
  for (const GraphLine& line : lines) ways.push_back({line.from, line.to});
  return {lay_out(std::move(boxes), std::move(ways)), {sideways}};
}

Plan best_plan(const std::vector<Content>& contents, const std::vector<GraphLine>& lines) {
  Plan right = plan(contents, lines, true);
  if (right.width() <= kPage) return right;
  Plan down = plan(contents, lines, false);
  return down.width() < right.width() ? down : right;
}

// All that is to be drawn, and how large it will be.
class Drawing {
 public:
  Drawing(const std::vector<GraphBox>& boxes, const std::vector<GraphLine>& lines) : boxes_(boxes), lines_(lines) {
    for (const GraphBox& box : boxes) contents_.push_back(content_of(box));
    plan_ = best_plan(contents_, lines);
    const auto any = [this](const GraphLine& line) { return has_gradient(line); };
    legend_ = legend_of(boxes, std::any_of(lines.begin(), lines.end(), any));
    plan_.turn.left += (width() - plan_.width()) / 2;
  }

  double width() const { return std::max(plan_.width(), legend_.width()); }
  double height() const { return plan_.height() + kLegend; }

  void draw(Canvas& canvas) const {
    for (size_t i = 0; i < lines_.size(); i++)
      for (const bool backwards : {false, true})
        if (!backwards || has_gradient(lines_[i]))
          draw_line(canvas, plan_.layout.lines[i].points, plan_.turn, backwards);
    for (size_t i = 0; i < boxes_.size(); i++)
      draw_box(canvas, boxes_[i], contents_[i], plan_.layout.boxes[i], plan_.turn);
    legend_.draw(canvas, height() - kLegend / 2);
  }

 private:
  bool has_gradient(const GraphLine& line) const {
    return !contents_[line.from].gradient.text.empty() && !contents_[line.to].gradient.text.empty();
  }

  const std::vector<GraphBox>& boxes_;
  const std::vector<GraphLine>& lines_;
  std::vector<Content> contents_;
  Plan plan_;
  Legend legend_;
};

}  // namespace

std::string GraphPicture::svg() const {
  const Drawing drawing(boxes_, lines_);
  Svg svg(drawing.width(), drawing.height());
  drawing.draw(svg);
  return svg.str();
}

Picture GraphPicture::picture() const {
  const Drawing drawing(boxes_, lines_);
  Picture picture(std::lrint(drawing.width()), std::lrint(drawing.height()));
  drawing.draw(picture);
  return picture;
}

}  // namespace heed
