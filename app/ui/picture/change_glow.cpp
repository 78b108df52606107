#include "app/ui/picture/change_glow.h"

#include <algorithm>
#include <bit>
#include <cstdint>

#include "app/ui/widgets/marks.h"

namespace headlight {
namespace {

constexpr Index kMostCells = 4096;

bool same_value(float a, float b) {
  return std::bit_cast<std::uint32_t>(a) == std::bit_cast<std::uint32_t>(b);
}

}  // namespace

void ChangeGlow::note(const Tile& before, const Tile& after, double now) {
  cells_.clear();
  const bool comparable = before.request == after.request && before.values.rows() == after.values.rows() &&
                          before.values.cols() == after.values.cols() && !after.pooled &&
                          after.values.size() <= kMostCells;
  if (!comparable) return;
  for (Index row = 0; row < after.values.rows(); ++row)
    for (Index column = 0; column < after.values.cols(); ++column)
      if (!same_value(before.values(row, column), after.values(row, column)) ||
          before.mark(row, column) != after.mark(row, column))
        cells_.push_back({row, column});
  began_ = now;
}

double ChangeGlow::strength(double now) const {
  if (cells_.empty()) return 0;
  return std::clamp(1 - (now - began_) / kGlowSeconds, 0.0, 1.0);
}

void ChangeGlow::draw(UiContext& ui, const HeatmapPlan& plan, ImVec2 at) const {
  const double now = strength(ImGui::GetTime());
  if (now <= 0 || !ui.preferences.motion) return;
  for (const Cell& cell : cells_) {
    const Rect rect = plan.cell_rect(cell.row, cell.column);
    const ImVec2 min = {at.x + static_cast<float>(rect.x), at.y + static_cast<float>(rect.y)};
    const ImVec2 max = {at.x + static_cast<float>(rect.right()), at.y + static_cast<float>(rect.bottom())};
    draw_mark(ui, Mark::Moved, min, max, now);
  }
  ui.wake_within(0.01);
}

}  // namespace headlight
