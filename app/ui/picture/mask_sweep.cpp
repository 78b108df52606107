#include "app/ui/picture/mask_sweep.h"

#include <cmath>

namespace headlight {
namespace {

// A larger picture changes as a whole: its diagonals are too narrow to be followed.
constexpr Index kMostTokens = 64;

ShownMask mask_of(const Tile& tile) {
  ShownMask mask{tile.values.rows(), tile.values.cols(), {}};
  for (const CellMark mark : tile.marks)
    mask.forbidden.push_back(mark == CellMark::Masked);
  return mask;
}

bool is_whole(const Tile& tile) {
  return !tile.pooled && tile.values.rows() == tile.total_rows && tile.values.cols() == tile.total_columns &&
         tile.total_rows <= kMostTokens && tile.total_columns <= kMostTokens;
}

}  // namespace

bool MaskSweep::note(UiContext& ui, const std::string& name, const Tile& before, const Tile& after,
                     const Rect& cells) {
  if (!ui.preferences.motion || !is_whole(before) || !is_whole(after) ||
      before.request.content != after.request.content || before.request.stage != after.request.stage)
    return false;
  ScreenState from, to;
  from.mask = mask_of(before);
  to.mask = mask_of(after);
  if (screen_at(from, to, 0).masks.empty()) return false;
  before_ = from;
  after_ = to;
  copy_ = copy_shown(ui, "mask:" + name, cells);
  clock_.begin();
  return copy_.has_value();
}

void MaskSweep::draw(UiContext& ui, const HeatmapPlan& plan, ImVec2 at) {
  if (!copy_) return;
  const std::vector<double> opacity = screen_at(before_, after_, clock_.seconds()).masks;
  const ShownMask& mask = after_.mask;
  if (opacity.empty() || plan.cells.rows != mask.rows || plan.cells.columns != mask.columns ||
      !ui.preferences.motion)
    return copy_.reset();
  const Rect& all = plan.cells.rect;
  const Placement move = {1, std::round(double{at.x} + all.x) - copy_->area.x, 1,
                          std::round(double{at.y} + all.y) - copy_->area.y};
  for (Index row = 0; row < mask.rows; ++row)
    for (Index column = 0; column < mask.columns; ++column) {
      const double seen = opacity[static_cast<std::size_t>(row * mask.columns + column)];
      if (seen <= 0) continue;
      Rect cell = plan.cell_rect(row, column);
      cell.x += copy_->area.x - all.x;
      cell.y += copy_->area.y - all.y;
      if (!draw_copy(ui, *ImGui::GetWindowDrawList(), *copy_, cell, move, seen)) return copy_.reset();
    }
  keep_moving(ui);
}

}  // namespace headlight
