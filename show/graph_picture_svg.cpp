// How GraphPicture looks: the sizes of its boxes, their text, the arrows and the legend.
#include <algorithm>
#include <iterator>
#include <utility>

#include "show/graph_picture.h"
#include "show/graph_picture_layout.h"
#include "system/text.h"

namespace heed {
namespace {

constexpr double kPage = 1000, kMargin = 16, kLegend = 32;  // pixels; a wider picture is turned to run downwards
constexpr double kHeader = 22, kRow = 17, kPad = 5, kSide = 8, kNarrowest = 66;
constexpr double kBold = 7.8, kMono = 7.3;  // the width of a letter, on the wide side: the viewer chooses the font
constexpr double kBeside = 4;               // half the distance between an arrow and the gradient's arrow

struct Look {
  const char *label, *colour;
  double corner;
};
constexpr Look kLooks[] = {
    {"parameter", "#2e7d55", 10}, {"op", "#33669e", 3}, {"result", "#7b4397", 3}, {"constant", "#70757d", 10}};

constexpr const char* kStyle =
    "<style>text{text-anchor:middle;font:12px ui-monospace,Menlo,Consolas,'DejaVu Sans Mono',monospace;fill:#1f2328}"
    ".t{font:600 12.5px Helvetica,Arial,'DejaVu Sans',sans-serif;fill:#fff}"
    ".n{font:700 13px Helvetica,Arial,'DejaVu Sans',sans-serif}.s{fill:#68707a;font-size:11px}.g{fill:#a31515}"
    ".l{text-anchor:start;font:12px Helvetica,Arial,'DejaVu Sans',sans-serif}"
    ".f{fill:none;stroke:#48505a;stroke-width:1.5;marker-end:url(#f)}"
    ".b{fill:none;stroke:#c62828;stroke-width:1.1;stroke-dasharray:4 3;marker-end:url(#b)}</style>\n"
    "<defs><marker id='f' viewBox='0 0 8 8' refX='8' refY='4' markerWidth='8' markerHeight='8' orient='auto' "
    "markerUnits='userSpaceOnUse'><path d='M0,0.5L8,4L0,7.5z' fill='#48505a'/></marker>"
    "<marker id='b' viewBox='0 0 8 8' refX='8' refY='4' markerWidth='8' markerHeight='8' orient='auto' "
    "markerUnits='userSpaceOnUse'><path d='M0,1L8,4L0,7z' fill='#c62828'/></marker></defs>\n";

double letters(const std::string& text) {  // of UTF-8: the bytes that do not continue one
  return double(std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

// The rows of text in a box, as SVG, and the room they take.
struct Rows {
  std::vector<std::string> text;
  double width = 0;

  void add(const std::string& svg, double room) {
    text.push_back(svg);
    width = std::max(width, room + 2 * kSide);
  }
  double height() const { return text.empty() ? 0 : double(text.size()) * kRow + 2 * kPad; }
};

struct Content {
  Rows body, gradient;
  double width = 0, height = 0;
};

Content content_of(const GraphBox& box) {
  Content content;
  for (const GraphBox::Output& output : box.outputs) {
    if (!output.name.empty())
      content.body.add("<tspan class='n'>" + xml_text(output.name) + "</tspan>", letters(output.name) * kBold);
    const std::string shape = output.shape.str();
    content.body.add("<tspan class='s'>" + shape + "</tspan>", letters(shape) * kMono);
    for (const std::string& row : output.value) content.body.add(row, letters(row) * kMono);
    for (const std::string& row : output.gradient) content.gradient.add(row, letters(row) * kMono);
  }
  const double title = letters(box.title) * kBold + 2 * kSide;
  content.width = std::max({kNarrowest, title, content.body.width, content.gradient.width});
  content.height = kHeader + content.body.height() + content.gradient.height();
  return content;
}

// A rectangle whose upper and lower corners are rounded by different radii.
std::string rectangle(double x, double y, double w, double h, double upper, double lower, const std::string& paint) {
  return format("<path d='M%.1f,%.1fh%.1fa%.1f,%.1f 0 0 1 %.1f,%.1fv%.1f", x + upper, y, w - 2 * upper, upper, upper,
                upper, upper, h - upper - lower) +
         format("a%.1f,%.1f 0 0 1 %.1f,%.1fh%.1fa%.1f,%.1f 0 0 1 %.1f,%.1fv%.1f", lower, lower, -lower, lower,
                2 * lower - w, lower, lower, -lower, -lower, upper + lower - h) +
         format("a%.1f,%.1f 0 0 1 %.1f,%.1fz' ", upper, upper, upper, -upper) + paint + "/>\n";
}

std::string rows_at(const Rows& rows, double middle, double top, const char* type) {
  std::string out;
  for (const std::string& row : rows.text) {
    top += kRow;
    out += format("<text x='%.1f' y='%.1f' class='%s'>", middle, top + kPad - 4.5, type) + row + "</text>\n";
  }
  return out;
}

struct Turn {  // from the layout's directions to x and y
  bool sideways;
  double x(const LayoutPoint& p) const { return kMargin + (sideways ? p.along : p.across); }
  double y(const LayoutPoint& p) const { return kMargin + (sideways ? p.across : p.along); }
};

std::string draw_box(const GraphBox& box, const Content& content, const LayoutBox& place, const Turn& turn) {
  const double x = turn.x(place.corner), w = turn.sideways ? place.along : place.across;
  const double y = turn.y(place.corner), h = turn.sideways ? place.across : place.along;
  const Look& look = kLooks[box.kind];
  const double r = look.corner, footer = content.gradient.height();
  const std::string colour = look.colour;
  std::string out = rectangle(x, y, w, h, r, r, "fill='#fff'");
  out += rectangle(x, y, w, kHeader, r, 0, "fill='" + colour + "'");
  if (footer > 0) out += rectangle(x, y + h - footer, w, footer, 0, r, "fill='#fdecea'");
  out += rectangle(x, y, w, h, r, r, "fill='none' stroke='" + colour + "' stroke-width='1.5'");
  out += format("<text x='%.1f' y='%.1f' class='t'>", x + w / 2, y + 15.5) + xml_text(box.title) + "</text>\n";
  const double slack = h - kHeader - content.body.height() - footer;
  return out + rows_at(content.body, x + w / 2, y + kHeader + slack / 2, "v") +
         rows_at(content.gradient, x + w / 2, y + h - footer, "g");
}

// Curves in the gaps between layers, straight where the line passes one.
std::string draw_line(std::vector<LayoutPoint> points, const Turn& turn, bool backwards) {
  const double beside = backwards ? kBeside : -kBeside;
  for (LayoutPoint& p : points) p.across += beside;
  if (backwards) std::reverse(points.begin(), points.end());
  std::string path = format("M%.1f,%.1f", turn.x(points[0]), turn.y(points[0]));
  for (size_t i = 0; i + 1 < points.size(); i += 2) {
    const LayoutPoint a = points[i], b = points[i + 1];
    if (i > 0) path += format("L%.1f,%.1f", turn.x(a), turn.y(a));
    const double slope = std::clamp((b.across - a.across) / (b.along - a.along), -1.5, 1.5);
    const double middle = (a.along + b.along) / 2 - beside * slope;  // the two stay apart where they are steep
    const LayoutPoint p{middle, a.across}, q{middle, b.across};
    path += format("C%.1f,%.1f %.1f,%.1f", turn.x(p), turn.y(p), turn.x(q), turn.y(q));
    path += format(" %.1f,%.1f", turn.x(b), turn.y(b));
  }
  return "<path class='" + std::string(backwards ? "b" : "f") + "' d='" + path + "'/>\n";
}

// The kinds of boxes and arrows that occur, around the height y; returns where it ends.
double draw_legend(std::string& out, const std::vector<GraphBox>& boxes, bool gradients, double y) {
  double x = kMargin;
  auto label = [&](const char* text) {
    out += format("<text x='%.1f' y='%.1f' class='l'>%s</text>\n", x, y + 4, text);
    x += 7 * letters(text) + 22;
  };
  for (size_t kind = 0; kind < std::size(kLooks); kind++) {
    if (std::none_of(boxes.begin(), boxes.end(), [&](const GraphBox& box) { return size_t(box.kind) == kind; }))
      continue;
    const double r = kLooks[kind].corner / 2;
    out += rectangle(x, y - 6, 18, 12, r, r, format("fill='%s'", kLooks[kind].colour));
    x += 25;
    label(kLooks[kind].label);
  }
  for (const bool backwards : {false, true}) {
    if (backwards && !gradients) continue;
    const double from = backwards ? x + 32 : x, to = backwards ? x : x + 32;
    out += format("<path class='%s' d='M%.1f,%.1fH%.1f'/>\n", backwards ? "b" : "f", from, y, to);
    x += 40;
    label(backwards ? "gradient" : "value");
  }
  return x;
}

struct Plan {
  Layout layout;
  Turn turn;
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

}  // namespace

std::string GraphPicture::svg() const {
  std::vector<Content> contents;
  for (const GraphBox& box : boxes_) contents.push_back(content_of(box));
  const Plan plan = best_plan(contents, lines_);
  const Layout& layout = plan.layout;
  std::string graph, legend;
  bool gradients = false;
  for (size_t i = 0; i < lines_.size(); i++) {
    graph += draw_line(layout.lines[i].points, plan.turn, false);
    if (contents[lines_[i].from].gradient.text.empty() || contents[lines_[i].to].gradient.text.empty()) continue;
    graph += draw_line(layout.lines[i].points, plan.turn, true);
    gradients = true;
  }
  for (size_t i = 0; i < boxes_.size(); i++) graph += draw_box(boxes_[i], contents[i], layout.boxes[i], plan.turn);
  const double height = plan.height() + kLegend;
  const double width = std::max(plan.width(), draw_legend(legend, boxes_, gradients, height - kLegend / 2));
  return format("<svg xmlns='http://www.w3.org/2000/svg' width='%.0f' height='%.0f' ", width, height) +
         format("viewBox='0 0 %.0f %.0f'>\n", width, height) + kStyle +
         "<rect width='100%' height='100%' fill='#fff'/>\n" +
         format("<g transform='translate(%.1f,0)'>\n", (width - plan.width()) / 2) + graph + "</g>\n" + legend +
         "</svg>\n";
}

}  // namespace heed
