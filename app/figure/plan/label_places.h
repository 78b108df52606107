// Placement of labels beside points, so that none covers another or a point.
#pragma once

#include <optional>
#include <vector>

#include "app/figure/plan/heatmap_plan.h"

namespace headlight {

// The occupied area of a field, in squares of a few pixels.
class LabelPlaces {
 public:
  explicit LabelPlaces(const Rect& field);

  void take(const Rect& rect);
  // Whether `rect` lies in the field and none of it is occupied.
  bool is_free(const Rect& rect) const;
  // Finds and occupies a free place for a label of this size beside a point; none if there is none. `reach`:
  // the distance of its near edge from the point.
  std::optional<Rect> place_beside(double x, double y, TextSize size, double reach);

 private:
  struct Squares {
    Index left, right, top, bottom;
  };
  Squares squares_of(const Rect& rect) const;

  Rect field_;
  Index columns_ = 0, rows_ = 0;
  std::vector<bool> taken_;
};

}  // namespace headlight
