#include "app/figure/plan/curve.h"

#include <algorithm>
#include <cmath>

namespace headlight {
namespace {

bool same(const Point& a, const Point& b) {
  return a.x == b.x && a.y == b.y;
}

// The length of the second difference of three neighbouring points.
double bend(const Point& a, const Point& b, const Point& c) {
  return std::hypot(a.x - 2 * b.x + c.x, a.y - 2 * b.y + c.y);
}

// One edge of a band: above the path by so much at its ends, below it where that is negative. Where the path
// is steep, an edge moved upwards alone would be nearer to it than at its ends: the control points move aside
// too.
Curve edge(const Curve& path, double above, double to_above) {
  const double across = path.to.x - path.from.x, down = path.to.y - path.from.y;
  const double steepness = std::atan2(2 * down, across);  // half way, of a level curve
  const double middle = (above + to_above) / 2, most = std::abs(across) / 2;
  const double aside = std::clamp(4.0 / 3 * middle * std::tan(steepness / 2), -most, most);
  const Point from = {path.from.x, path.from.y - above}, to = {path.to.x, path.to.y - to_above};
  if (from.y == to.y) return straight_curve(from, to);
  const double half = (from.x + to.x) / 2 + aside;
  return {from, {half, from.y}, {half, to.y}, to};
}

// Level at both ends, with the control points one below the other.
bool is_level(const Curve& curve) {
  return curve.from.y == curve.from_control.y && curve.to.y == curve.to_control.y &&
         curve.from_control.x == curve.to_control.x;
}

double distance_to_line(const Point& a, const Point& b, const Point& p) {
  const double dx = b.x - a.x, dy = b.y - a.y, square = dx * dx + dy * dy;
  const double share = square > 0 ? std::clamp(((p.x - a.x) * dx + (p.y - a.y) * dy) / square, 0.0, 1.0) : 0;
  return std::hypot(p.x - (a.x + share * dx), p.y - (a.y + share * dy));
}

}  // namespace

Curve level_curve(const Point& from, const Point& to) {
  if (from.y == to.y) return straight_curve(from, to);
  const double middle = (from.x + to.x) / 2;
  return {from, {middle, from.y}, {middle, to.y}, to};
}

Curve straight_curve(const Point& from, const Point& to) {
  return {from, from, to, to};
}

bool is_straight(const Curve& curve) {
  return same(curve.from, curve.from_control) && same(curve.to_control, curve.to);
}

std::array<Curve, 2> band_edges(const Curve& path, double width, double to_width) {
  return {edge(path, width / 2, to_width / 2), edge(path, -width / 2, -to_width / 2)};
}

Curve reversed(const Curve& curve) {
  return {curve.to, curve.to_control, curve.from_control, curve.from};
}

Curve moved(const Curve& curve, const Point& by) {
  const auto place = [&](const Point& p) { return Point{p.x + by.x, p.y + by.y}; };
  return {place(curve.from), place(curve.from_control), place(curve.to_control), place(curve.to)};
}

Point point_on(const Curve& curve, double t) {
  const double s = 1 - t;
  const double a = s * s * s, b = 3 * s * s * t, c = 3 * s * t * t, d = t * t * t;
  return {a * curve.from.x + b * curve.from_control.x + c * curve.to_control.x + d * curve.to.x,
          a * curve.from.y + b * curve.from_control.y + c * curve.to_control.y + d * curve.to.y};
}

Rect bounds(const Curve& curve) {
  const auto [left, right] =
      std::minmax({curve.from.x, curve.from_control.x, curve.to_control.x, curve.to.x});
  const auto [top, bottom] =
      std::minmax({curve.from.y, curve.from_control.y, curve.to_control.y, curve.to.y});
  return {left, top, right - left, bottom - top};
}

int curve_steps(const Curve& curve, double most_off) {
  if (is_straight(curve)) return 1;
  // A line is off by at most h^2 / 8 of the largest second derivative across the curve. It is 6 times the
  // larger bend, and of a curve that is level at both ends 6 times its height, which is much less where it is
  // low.
  const double most = is_level(curve) ? std::abs(curve.to.y - curve.from.y)
                                      : std::max(bend(curve.from, curve.from_control, curve.to_control),
                                                 bend(curve.from_control, curve.to_control, curve.to));
  return std::max(1, static_cast<int>(std::ceil(std::sqrt(0.75 * most / most_off))));
}

std::vector<Point> points_on(const Curve& curve, double most_off) {
  const int count = curve_steps(curve, most_off);
  std::vector<Point> points(static_cast<std::size_t>(count) + 1);
  for (int i = 0; i <= count; ++i)
    points[static_cast<std::size_t>(i)] = point_on(curve, static_cast<double>(i) / count);
  return points;
}

double distance(const Curve& curve, const Point& point) {
  // Lines between few points are at most a pixel away: only where one is nearer than that are there more.
  constexpr double kRough = 1, kExact = 0.01;
  const int count = curve_steps(curve, kRough);
  const auto finer = static_cast<int>(std::ceil(std::sqrt(kRough / kExact)));
  const auto on = [&](int step) { return point_on(curve, static_cast<double>(step) / (count * finer)); };
  double least = std::hypot(point.x - curve.from.x, point.y - curve.from.y);
  Point begin = curve.from;
  for (int i = 0; i < count; ++i) {
    const Point end = on((i + 1) * finer);
    if (distance_to_line(begin, end, point) - kRough < least) {
      Point from = begin;
      for (int k = 1; k <= finer; ++k) {
        const Point to = on(i * finer + k);
        least = std::min(least, distance_to_line(from, to, point));
        from = to;
      }
    }
    begin = end;
  }
  return least;
}

}  // namespace headlight
