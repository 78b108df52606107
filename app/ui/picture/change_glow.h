// Highlights cells whose value has just changed, for a moment, to show the effect of an edit.
#pragma once

#include <vector>

#include "app/figure/plan/heatmap_plan.h"
#include "app/ui/context/ui_context.h"

namespace headlight {

inline constexpr double kGlowSeconds = 0.3;

class ChangeGlow {
 public:
  // `now` in seconds on ImGui's clock. Tiles that differ in shape or region, that are pooled, or that have
  // too many cells to tell them apart, are not highlighted.
  void note(const Tile& before, const Tile& after, double now);
  // From 1 directly after a change down to 0.
  double strength(double now) const;
  struct Cell {
    Index row = 0, column = 0;
  };
  const std::vector<Cell>& cells() const { return cells_; }
  // Outlines the changed cells of `plan`, drawn at `at`, and requests the next frame while they glow.
  void draw(UiContext& ui, const HeatmapPlan& plan, ImVec2 at) const;

 private:
  std::vector<Cell> cells_;
  double began_ = -1;
};

}  // namespace headlight
