// A mask that goes on or off by diagonals: the cells of the picture before it give way to those of the new
// one.
#pragma once

#include <optional>
#include <string>

#include "app/figure/plan/heatmap_plan.h"
#include "app/ui/picture/shown_copy.h"

namespace headlight {

class MaskSweep {
 public:
  // Begins if the tiles, both of the whole matrix, differ in what the mask forbids. `cells`: where the window
  // shows those of `before`; `name`: of the picture. Returns whether it has begun.
  bool note(UiContext& ui, const std::string& name, const Tile& before, const Tile& after, const Rect& cells);
  // Over the cells of the new picture, drawn at `at`: those of the earlier one that have not given way.
  void draw(UiContext& ui, const HeatmapPlan& plan, ImVec2 at);
  bool moves() const { return copy_.has_value(); }

 private:
  std::optional<ShownCopy> copy_;
  ScreenState before_, after_;
  MotionClock clock_;
};

}  // namespace headlight
