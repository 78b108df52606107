// What is between two numbers, points or rectangles at a share of the way, from 0 to 1.
#pragma once

#include <algorithm>

#include "app/figure/color/eased.h"
#include "app/figure/plan/heatmap_plan.h"

namespace headlight {

inline double between(double a, double b, double share) {
  return a + (b - a) * share;
}
inline Point between(const Point& a, const Point& b, double share) {
  return {between(a.x, b.x, share), between(a.y, b.y, share)};
}
inline Rect between(const Rect& a, const Rect& b, double share) {
  return {between(a.x, b.x, share), between(a.y, b.y, share), between(a.width, b.width, share),
          between(a.height, b.height, share)};
}

// The smallest rectangle that holds both.
inline Rect joined(const Rect& a, const Rect& b) {
  const double x = std::min(a.x, b.x), y = std::min(a.y, b.y);
  return {x, y, std::max(a.right(), b.right()) - x, std::max(a.bottom(), b.bottom()) - y};
}

}  // namespace headlight
