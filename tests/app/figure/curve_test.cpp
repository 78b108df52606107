// Cubic curves: their points, the lines that stand for them, and the distance to them.
#include "app/figure/plan/curve.h"

#include <algorithm>
#include <cmath>

#include "tests/support/catch.h"

using namespace headlight;
using headlight_test::WithinAbs;

namespace {

// Slowly and without any bound on an error: the least distance to many points.
double plain_distance(const Curve& curve, const Point& point) {
  constexpr int kPoints = 200'000;
  double least = 1e300;
  for (int i = 0; i <= kPoints; ++i) {
    const Point on = point_on(curve, static_cast<double>(i) / kPoints);
    least = std::min(least, std::hypot(on.x - point.x, on.y - point.y));
  }
  return least;
}

const Curve kCurves[] = {level_curve({10, 20}, {570, 400}),
                         level_curve({0, 300}, {60, 10}),
                         level_curve({0, 50}, {400, 50}),
                         straight_curve({5, 5}, {300, 77}),
                         {{0, 100}, {0, -60}, {200, -60}, {200, 100}}};

}  // namespace

TEST_CASE("curve: a level one leaves and reaches its ends level, and goes down half way in the middle") {
  const Curve curve = level_curve({100, 40}, {500, 240});
  for (const auto& [t, end] : {std::pair(1e-4, curve.from), std::pair(1 - 1e-4, curve.to)}) {
    const Point near = point_on(curve, t);
    CHECK(std::abs(near.y - end.y) < 1e-3 * std::abs(near.x - end.x));
  }
  CHECK_THAT(point_on(curve, 0.5).x, WithinAbs(300, 1e-9));
  CHECK_THAT(point_on(curve, 0.5).y, WithinAbs(140, 1e-9));
  CHECK(point_on(curve, 0.25).y < 90);  // of a straight line
}

TEST_CASE("curve: the lines between its points are as near to it as asked") {
  for (const Curve& curve : kCurves)
    for (const double most_off : {2.0, 0.25, 0.02}) {
      const std::vector<Point> points = points_on(curve, most_off);
      REQUIRE(points.size() >= 2);
      CHECK(std::hypot(points.front().x - curve.from.x, points.front().y - curve.from.y) == 0);
      CHECK(std::hypot(points.back().x - curve.to.x, points.back().y - curve.to.y) < 1e-9);
      for (std::size_t i = 1; i < points.size(); ++i) {
        const Point middle = {(points[i - 1].x + points[i].x) / 2, (points[i - 1].y + points[i].y) / 2};
        CHECK(plain_distance(curve, middle) <= most_off + 1e-3);
      }
    }
  CHECK(points_on(kCurves[0], 0.02).size() > 2 * points_on(kCurves[0], 0.25).size());
  CHECK(points_on(kCurves[2], 0.25).size() == 2);  // at one height it is a line
  CHECK(points_on(kCurves[3], 0.25).size() == 2);
}

TEST_CASE("curve: the distance of a point is that to the nearest of all its points") {
  for (const Curve& curve : kCurves)
    for (const double x : {-20.0, 0.0, 33.0, 210.0, 480.0, 700.0})
      for (const double y : {-40.0, 20.0, 140.0, 300.0, 450.0}) {
        INFO(x << ", " << y);
        CHECK_THAT(distance(curve, {x, y}), WithinAbs(plain_distance(curve, {x, y}), 0.011));
      }
  const Point on = point_on(kCurves[0], 0.3);
  CHECK(distance(kCurves[0], on) < 0.011);
}

TEST_CASE("curve: its bounds hold all its points") {
  for (const Curve& curve : kCurves) {
    const Rect rect = outset(bounds(curve), 1e-9);
    for (const Point& point : points_on(curve, 0.1)) {
      CHECK(point.x >= rect.x);
      CHECK(point.x <= rect.right());
      CHECK(point.y >= rect.y);
      CHECK(point.y <= rect.bottom());
    }
  }
  const Rect level = bounds(kCurves[0]);
  CHECK(level == Rect{10, 20, 560, 380});
}

TEST_CASE(
    "curve: a band is upright and as wide as asked at its ends, and as wide in the middle, however steep") {
  for (const Point& to :
       {Point{560, 20}, Point{560, 220}, Point{560, 620}, Point{260, 500}, Point{560, -300}})
    for (const auto& [width, to_width] : {std::pair(10.0, 10.0), std::pair(12.0, 3.0)}) {
      INFO(to.x << ", " << to.y << " from " << width << " to " << to_width);
      const Curve path = level_curve({10, 20}, to);
      const auto [upper, lower] = band_edges(path, width, to_width);
      CHECK(upper.from.x == path.from.x);
      CHECK(lower.to.x == path.to.x);
      CHECK_THAT(lower.from.y - upper.from.y, WithinAbs(width, 1e-9));
      CHECK_THAT(lower.to.y - upper.to.y, WithinAbs(to_width, 1e-9));
      CHECK(upper.from_control.y == upper.from.y);
      CHECK(lower.to_control.y == lower.to.y);
      const Point middle = point_on(path, 0.5);
      const double across = distance(upper, middle) + distance(lower, middle);
      CHECK_THAT(across, WithinAbs((width + to_width) / 2, 0.1 * width));
      for (double t = 0; t <= 1; t += 0.05)
        CHECK(point_on(lower, t).y > point_on(upper, t).y);
    }
}
