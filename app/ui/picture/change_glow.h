// Cells whose value has just changed glow for a moment, so that one sees what an edit reached.
#pragma once

#include <vector>

#include "app/figure/plan/heatmap_plan.h"
#include "app/ui/context/ui_context.h"

namespace headlight {

inline constexpr double kGlowSeconds = 0.3;

class ChangeGlow {
 public:
  // `now` in seconds on ImGui's clock. Tiles of other shapes or places, and those with too many cells to tell
  // them apart by eye, do not glow.
  void note(const Tile& before, const Tile& after, double now);
  // From 1 just after a change to 0.
  double strength(double now) const;
  struct Cell {
    Index row = 0, column = 0;
  };
  const std::vector<Cell>& cells() const { return cells_; }
  // Outlines the cells of `plan`, whose origin stands at `at`, and asks for the next frame while they glow.
  void draw(UiContext& ui, const HeatmapPlan& plan, ImVec2 at) const;

 private:
  std::vector<Cell> cells_;
  double began_ = -1;
};

}  // namespace headlight
