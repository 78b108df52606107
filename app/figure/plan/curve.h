// Cubic Bézier curves: their points, and how far a point is from one.
#pragma once

#include <array>
#include <vector>

#include "app/figure/plan/heatmap_plan.h"

namespace headlight {

// It leaves `from` towards `from_control` and reaches `to` from `to_control`.
struct Curve {
  Point from, from_control, to_control, to;
};

// Level at both ends: the control points are halfway, at the heights of the ends. Straight between ends of
// one height.
Curve level_curve(const Point& from, const Point& to);
// A line as a curve: the control points are the ends.
Curve straight_curve(const Point& from, const Point& to);
bool is_straight(const Curve& curve);

// The upper and the lower edge of a band along a curve that is level at both ends: there they are upright
// below one another, `width` and `to_width` apart, and half way as far as the mean of both across the curve.
std::array<Curve, 2> band_edges(const Curve& path, double width, double to_width);
Curve reversed(const Curve& curve);
Curve moved(const Curve& curve, const Point& by);
// The point at t, from 0 to 1.
Point point_on(const Curve& curve, double t);
// The smallest rectangle around the four points, which holds the curve.
Rect bounds(const Curve& curve);
// Points of the curve at curve_steps, both ends among them.
std::vector<Point> points_on(const Curve& curve, double most_off);
// In how many equal steps of t the lines between its points are at most so far away.
int curve_steps(const Curve& curve, double most_off);
// From the nearest point of the curve, exact to a hundredth. Cost: O(square root of its length).
double distance(const Curve& curve, const Point& point);

}  // namespace headlight
