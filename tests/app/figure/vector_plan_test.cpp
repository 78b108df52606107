// Tokens as points: their positions, the arrows between them, and labels that do not overlap.
#include "app/figure/plan/vector_plan.h"

#include <algorithm>
#include <cmath>

#include "app/figure/plan/label_places.h"
#include "tests/app/figure/figure_support.h"
#include "tests/support/catch.h"

using namespace headlight_test;

namespace {

Matrix points(std::initializer_list<std::array<float, 2>> rows) {
  Matrix made(static_cast<Index>(rows.size()), 2);
  Index at = 0;
  for (const auto& row : rows)
    made.row(at++) << row[0], row[1];
  return made;
}

VectorFigure triangle() {
  VectorFigure figure;
  figure.labels = tokens(3);
  figure.sets = {{"values", 0, points({{1, 0}, {0, 2}, {-1, 0.5f}})}};
  figure.x_axis = "dimension 1";
  figure.y_axis = "dimension 2";
  return figure;
}

VectorPlan planned_vectors(const VectorFigure& figure, double width = 600, double height = 220) {
  return plan_vectors(figure, FigureStyle::dark(), width, height, plain_measure);
}

VectorPlan::Point point_of(const VectorPlan& plan, std::size_t set, Index token) {
  for (const VectorPlan::Point& point : plan.points)
    if (point.set == set && point.token == token) return point;
  FAIL("no such point");
  return {};
}

// The areas of the token labels, without the numbers and names of the axes.
std::vector<Rect> label_rects(const VectorPlan& plan) {
  std::vector<Rect> rects;
  for (const PlannedText& text : plan.drawing.texts)
    if (text.anchor == Anchor::Start) {
      const TextSize size = plain_measure(text.text, text.size_px, text.face);
      rects.push_back({text.x, text.y - size.height * 0.45, size.width, size.height * 0.9});
    }
  return rects;
}

bool labels_overlap(const Rect& a, const Rect& b) {
  return a.x < b.right() && b.x < a.right() && a.y < b.bottom() && b.y < a.bottom();
}

}  // namespace

TEST_CASE("vector plan: both axes have one scale, up is positive, and the origin is in sight") {
  for (const double width : {300.0, 900.0}) {
    const VectorPlan plan = planned_vectors(triangle(), width, 240);
    const auto one = point_of(plan, 0, 0), two = point_of(plan, 0, 1);
    CHECK_THAT(one.x - plan.scale.origin_x, WithinAbs(plan.scale.px_per_unit, 1e-6));
    CHECK_THAT(plan.scale.origin_y - two.y, WithinAbs(2 * plan.scale.px_per_unit, 1e-6));
    CHECK(plan.scale.origin_x > plan.field.x);
    CHECK(plan.scale.origin_x < plan.field.right());
    CHECK(plan.scale.origin_y > plan.field.y);
    CHECK(plan.scale.origin_y < plan.field.bottom());
  }
}

TEST_CASE("vector plan: the origin is shown though all points are far from it") {
  VectorFigure figure = triangle();
  figure.sets[0].points = points({{100, 100}, {101, 100}, {100, 101}});
  const VectorPlan plan = planned_vectors(figure);
  CHECK(plan.scale.origin_x >= plan.field.x);
  CHECK(plan.scale.origin_y <= plan.field.bottom());
}

TEST_CASE("vector plan: all points lie in the field, at any size") {
  for (const double width : {90.0, 250.0, 1500.0})
    for (const double height : {80.0, 240.0, 900.0}) {
      INFO(width << " x " << height);
      const VectorPlan plan = planned_vectors(triangle(), width, height);
      for (const VectorPlan::Point& point : plan.points) {
        CHECK(point.x >= plan.field.x);
        CHECK(point.x <= plan.field.right());
        CHECK(point.y >= plan.field.y);
        CHECK(point.y <= plan.field.bottom());
      }
    }
}

TEST_CASE("vector plan: an arrow leads from a token's point to the same token's in the other set") {
  VectorFigure figure = triangle();
  figure.sets.push_back({"context", 1, points({{1, 1}, {0, 2}, {-1, -1}})});
  CHECK(planned_vectors(figure).drawing.triangles.empty());
  figure.arrows = true;
  const VectorPlan plan = planned_vectors(figure);
  REQUIRE(plan.drawing.triangles.size() == 2);  // no arrow for the second token, which did not move
  const auto from = point_of(plan, 0, 0), to = point_of(plan, 1, 0);
  const PlannedTriangle& head = plan.drawing.triangles[0];
  CHECK_THAT(head.x1, WithinAbs(to.x, 0.01));
  CHECK(head.y1 > to.y);
  CHECK(head.y1 < from.y);
  CHECK(std::hypot(head.x1 - to.x, head.y1 - to.y) < 8);
}

TEST_CASE("vector plan: what is not finite has no point, and the others keep theirs") {
  VectorFigure figure = triangle();
  figure.sets[0].points(1, 0) = NAN;
  const VectorPlan plan = planned_vectors(figure);
  CHECK(plan.points.size() == 2);
  CHECK(std::isfinite(plan.scale.px_per_unit));
  figure.sets[0].points.setConstant(INFINITY);
  CHECK(planned_vectors(figure).points.empty());
}

TEST_CASE("vector plan: labels overlap neither one another nor points") {
  VectorFigure figure;
  figure.labels = tokens(60);
  Matrix crowd(60, 2);
  for (Index i = 0; i < 60; ++i)
    crowd.row(i) << std::cos(0.7f * static_cast<float>(i)) * static_cast<float>(i % 7),
        std::sin(1.3f * static_cast<float>(i)) * static_cast<float>(i % 5);
  figure.sets = {{"queries", 0, crowd}, {"keys", 1, crowd.reverse()}};
  const VectorPlan plan = planned_vectors(figure, 640, 300);
  const std::vector<Rect> labels = label_rects(plan);
  CHECK(labels.size() > 20);
  CHECK(labels.size() + plan.labels_hidden == 120);
  for (std::size_t i = 0; i < labels.size(); ++i) {
    for (std::size_t j = i + 1; j < labels.size(); ++j)
      CHECK_FALSE(labels_overlap(labels[i], labels[j]));
    for (const VectorPlan::Point& point : plan.points)
      CHECK_FALSE(labels_overlap(labels[i], {point.x - 1, point.y - 1, 2, 2}));
  }
}

TEST_CASE("vector plan: the token pointed at has its label even in a crowd") {
  VectorFigure figure;
  figure.labels = tokens(40);
  figure.labels[39] = "last";
  figure.sets = {{"queries", 0, ramp_tile(Stage::Queries, 40, 2, 0.0f, 0.01f).values}};
  figure.sets[0].points(0, 0) = 10;  // all other points are at one place
  const auto labelled = [&] {
    const VectorPlan plan = planned_vectors(figure);
    return std::count_if(plan.drawing.texts.begin(), plan.drawing.texts.end(),
                         [](const PlannedText& text) { return text.text == "last"; });
  };
  CHECK(labelled() == 0);
  figure.pointed = 39;
  CHECK(labelled() == 1);
}

TEST_CASE("vector plan: of a query and a key each stands out among its own") {
  VectorFigure figure = triangle();
  figure.sets = {{"queries", 0, points({{2, 0}, {0, 1}, {1, 1}})},
                 {"keys", 1, points({{1, 0}, {0, 2}, {2, 2}})}};
  figure.pointed = 0;
  figure.pointed_second = 2;
  const VectorPlan plan = planned_vectors(figure);
  std::vector<std::pair<double, double>> ringed;
  for (const auto& dot : plan.drawing.dots)
    if (dot.color == FigureStyle::dark().accent) ringed.emplace_back(dot.x, dot.y);
  REQUIRE(ringed.size() == 2);
  for (const VectorPlan::Point& point : plan.points) {
    const bool rings = std::find(ringed.begin(), ringed.end(), std::pair(point.x, point.y)) != ringed.end();
    CHECK(rings == (point.token == (point.set == 0 ? 0 : 2)));
  }
  // The labels of the two, and no others, are not dimmed.
  const auto plain = std::count_if(plan.drawing.texts.begin(), plan.drawing.texts.end(),
                                   [](const auto& text) { return text.color == FigureStyle::dark().text; });
  CHECK(plain == 2);
}

TEST_CASE("vector plan: arrows lead from the origin to the points, but not to the origin itself") {
  VectorFigure figure = triangle();
  figure.sets[0].points = points({{2, 0}, {0, 1}, {0, 0}});
  figure.from_origin = true;
  const VectorPlan plan = planned_vectors(figure);
  REQUIRE(plan.drawing.triangles.size() == 2);
  CHECK(plan.drawing.strokes.front().y1 == plan.scale.origin_y);
  CHECK(plan.drawing.strokes.front().y2 == plan.scale.origin_y);
  figure.line = true;
  CHECK(planned_vectors(figure).drawing.triangles.empty());
}

TEST_CASE("vector plan: a scale that is kept stays, whatever the points are") {
  VectorFigure figure = triangle();
  const VectorScale scale = planned_vectors(figure).scale;
  figure.sets[0].points *= 0.1f;
  figure.held_scale = scale;
  const VectorPlan plan = planned_vectors(figure);
  CHECK(plan.scale.px_per_unit == scale.px_per_unit);
  CHECK_THAT(point_of(plan, 0, 0).x - scale.origin_x,
             WithinAbs(static_cast<double>(figure.sets[0].points(0, 0)) * scale.px_per_unit, 1e-6));
}

TEST_CASE("vector plan: a space of one dimension is a line for each set") {
  VectorFigure figure = triangle();
  figure.line = true;
  figure.sets[0].points.col(1).setZero();
  figure.sets.push_back({"context", 1, figure.sets[0].points * 0.5f});
  figure.arrows = true;
  const VectorPlan plan = planned_vectors(figure);
  CHECK(point_of(plan, 0, 0).y == point_of(plan, 0, 1).y);
  CHECK(point_of(plan, 0, 0).y < point_of(plan, 1, 0).y);
  CHECK_THAT(point_of(plan, 0, 0).x - plan.scale.origin_x, WithinAbs(plan.scale.px_per_unit, 1e-6));
  CHECK(plan.drawing.triangles.size() == 3);
}

TEST_CASE("vector plan: the point under the pointer") {
  const VectorPlan plan = planned_vectors(triangle());
  const auto two = point_of(plan, 0, 1);
  const Index found = plan.point_at(two.x + 3, two.y - 3, 12);
  REQUIRE(found >= 0);
  CHECK(plan.points[static_cast<std::size_t>(found)].token == 1);
  CHECK(plan.point_at(two.x + 40, two.y, 12) == -1);
}

TEST_CASE("vector plan: points all in one place, and none at all") {
  VectorFigure figure = triangle();
  figure.sets[0].points.setZero();
  CHECK(std::isfinite(planned_vectors(figure).scale.px_per_unit));
  CHECK(planned_vectors(figure).points.size() == 3);
  CHECK(planned_vectors({}).points.empty());
  CHECK(planned_vectors(figure, 10, 10).points.empty());
}

TEST_CASE("label places: beside the point, in the field, and taken only once") {
  LabelPlaces places({0, 0, 100, 60});
  const auto first = places.place_beside(50, 30, {30, 12}, 6);
  REQUIRE(first);
  CHECK(first->x > 50);
  const auto second = places.place_beside(50, 30, {30, 12}, 6);
  REQUIRE(second);
  CHECK(second->right() < 50);
  CHECK_FALSE(places.place_beside(50, 30, {101, 12}, 6));
  const auto corner = places.place_beside(99, 59, {30, 12}, 6);
  REQUIRE(corner);
  CHECK(corner->right() < 99);
  int found = 0;
  while (places.place_beside(50, 30, {30, 12}, 6))
    ++found;
  CHECK(found <= 6);
}

TEST_CASE("vectors: tokens that are equal have names that tell them apart") {
  const std::vector<std::string> words = {" to", " the", " key", "to", " to"};
  CHECK(point_names(words, std::vector<Index>{0, 1, 2, 4}, {0}) ==
        std::vector<std::string>{"to (0)", " the", " key", "to (4)"});
  CHECK(point_names(words, std::vector<Index>{3, 0}, {1}) == std::vector<std::string>{"to (4)", "to (1)"});
  CHECK(point_names(words, std::vector<Index>{1, 2}, {0}) == std::vector<std::string>{" the", " key"});
}
