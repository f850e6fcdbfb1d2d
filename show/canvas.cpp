#include "show/canvas.h"

#include <cmath>

namespace heed {
namespace {

constexpr int kPieces = 24;  // of a Bezier curve, where it is drawn as a polyline

Point bezier(const Point* p, double t) {
  const double s = 1 - t, a = s * s * s, b = 3 * s * s * t, c = 3 * s * t * t, d = t * t * t;
  return {a * p[0].x + b * p[1].x + c * p[2].x + d * p[3].x, a * p[0].y + b * p[1].y + c * p[2].y + d * p[3].y};
}

}  // namespace

bool finite(Point p) { return std::isfinite(p.x) && std::isfinite(p.y); }

void Canvas::rectangles(const std::vector<Box>& boxes, const Fill& fill) {
  for (const Box& box : boxes) rectangle(box, fill);
}

void Canvas::spline(const Curve& points, const Stroke& stroke) {
  Curve flat;
  if (!points.empty()) flat.push_back(points[0]);
  for (size_t i = 0; i + 3 < points.size(); i += 3)
    for (int k = 1; k <= kPieces; k++) flat.push_back(bezier(&points[i], double(k) / kPieces));
  curve(flat, stroke);
}

}  // namespace heed
