// The vector diagram: tokens as points in the plane, with one scale for both axes, the origin visible and
// labels that do not overlap.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/figure/plan/drawing.h"
#include "engine/core/counting.h"

namespace headlight {

struct VectorSet {
  std::string name;        // "queries"
  std::size_t series = 0;  // index of its colour in FigureStyle::series
  Matrix points;           // n x 2: a row for each token; rows that are not finite are left out
};

// A point (x, y) of the space is at (origin_x + x * px_per_unit, origin_y - y * px_per_unit) in the picture.
struct VectorScale {
  double px_per_unit = 0;
  double origin_x = 0, origin_y = 0;
};

struct VectorFigure {
  std::vector<std::string> labels;  // of the n tokens
  std::vector<VectorSet> sets;
  bool arrows = false;                    // from a token's point in the first set to that in the second
  bool from_origin = false;               // an arrow from the origin to each point
  std::optional<VectorScale> held_scale;  // fixed while a point is dragged; none: fitted to the points
  bool line = false;                      // the space has one dimension: each set is on a separate line
  std::string x_axis, y_axis;             // "dimension 1"
  Index pointed = -1;                     // the highlighted token
  // The highlighted token of the second set, if it is another one: of a query and a key.
  std::optional<Index> pointed_second = {};
};

struct VectorPlan {
  struct Point {
    std::size_t set = 0;
    Index token = 0;
    double x = 0, y = 0;
  };
  Drawing drawing;
  Rect field;  // the area of the points
  VectorScale scale;
  std::vector<Point> points;
  std::size_t labels_hidden = 0;  // labels without room

  // The index of the point nearest to a place, at most `reach` away; -1: none.
  Index point_at(double x, double y, double reach) const;
};

// The labels of the tokens at `places`; equal ones by their token_name, which tells them apart.
// Precondition: each place has a label.
std::vector<std::string> point_names(std::span<const std::string> labels, std::span<const Index> places,
                                     Counting counting);

VectorPlan plan_vectors(const VectorFigure& figure, const FigureStyle& style, double width, double height,
                        const MeasureText& measure);

}  // namespace headlight
