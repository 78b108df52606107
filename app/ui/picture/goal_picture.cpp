#include "app/ui/picture/goal_picture.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace headlight {
namespace {

// Distinct from the gestures of grids, settings and masks, which share the document's history.
constexpr std::uint64_t kGoalGesture = std::uint64_t{5} << 61;

// Whether the goal wants something of the cell that shall be outlined.
bool is_wanted(const Goal& goal, const CellAddress& cell, Index columns) {
  const float wanted = goal.target.at(cell.sequence, cell.head, cell.row, cell.column);
  if (goal.loss == Loss::Squared) return !std::isnan(wanted);
  return wanted > 0 && target_row_sum(goal.target.of(cell.sequence, cell.head), cell.row, columns) > 0;
}

// Four dashed sides, at the edge of the cell: its number has the room.
void draw_dashed_cell(const UiContext& ui, const Rect& cell, ImVec2 origin) {
  const float line = std::max(1.0f, ui.theme.px(1.5f)), dash = std::max(2.0f, ui.theme.px(4));
  const ImVec2 a = {origin.x + static_cast<float>(cell.x), origin.y + static_cast<float>(cell.y)};
  const ImVec2 b = {origin.x + static_cast<float>(cell.right()),
                    origin.y + static_cast<float>(cell.bottom())};
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const ImU32 color = to_imgui(ui.theme.lesson), ground = to_imgui(ui.theme.ground);
  const auto bar = [&](float x, float y, float right, float bottom) {
    list.AddRectFilled({x, y}, {right, bottom}, color);
  };
  // In the ground's colour below, so that the dashes stand out from any colour of the map.
  list.AddRect(a, b, ground, 0, 0, line);
  for (float x = a.x; x < b.x; x += 2 * dash) {
    bar(x, a.y, std::min(x + dash, b.x), a.y + line);
    bar(x, b.y - line, std::min(x + dash, b.x), b.y);
  }
  for (float y = a.y; y < b.y; y += 2 * dash) {
    bar(a.x, y, a.x + line, std::min(y + dash, b.y));
    bar(b.x - line, y, b.x, std::min(y + dash, b.y));
  }
}

}  // namespace

StageColors gradient_colors(const UiContext& ui, Stage stage) {
  StageColors colors = difference_colors(ui.view.colors_of(stage), stage);
  colors.shared = ui.view.colors_of(stage).shared;
  colors.pooling = Pooling::AbsMax;
  return colors;
}

void draw_goal(const UiContext& ui, const Tile& tile, const HeatmapPlan& plan, ImVec2 origin) {
  const auto& goal = ui.document.session().goal;
  const TileRequest& shown = tile.request;
  const bool own = shown.content == TileContent::Stage || shown.content == TileContent::Gradient;
  if (!goal || ui.view.model.work || !own || shown.stage != goal->stage || tile.pooled) return;
  constexpr double kLeastCell = 8;
  if (plan.cells.rows == 0 || plan.cell_rect(0, 0).width < kLeastCell) return;
  // An edit may have made the goal unfit until another one is set.
  const auto axes = target_axes(ui.model(), goal->stage);
  const auto fits = [](Index has, Index needed) { return has == 1 || has == needed; };
  if (!fits(goal->target.sequences, axes[0]) || !fits(goal->target.heads, axes[1]) ||
      !fits(goal->target.rows(), axes[2]) || !fits(goal->target.columns(), axes[3]))
    return;
  for (Index row = 0; row < plan.cells.rows; ++row)
    for (Index column = 0; column < plan.cells.columns; ++column) {
      const CellAddress cell = {shown.stage, shown.sequence, shown.head, shown.row_begin + row,
                                shown.column_begin + column};
      if (address_exists(ui.model(), cell) && is_wanted(*goal, cell, axes[3]))
        draw_dashed_cell(ui, plan.cell_rect(row, column), origin);
    }
}

void paint_goal(UiContext& ui, MaskPainter& painter, const HeatmapResult& result) {
  if (!ui.view.goal_brush || ui.view.model.work || !result.held || result.pointed.empty()) return;
  if (painter.gesture == 0) {
    painter.gesture = kGoalGesture | ui.document.revision();
    painter.last = result.pointed;
  }
  const auto& before = ui.document.session().goal;
  std::optional<Goal> goal;
  if (before) goal = *before;
  std::vector<std::pair<Index, Index>> cells = cells_between(*painter.last, result.pointed);
  cells.emplace_back(result.pointed.row, result.pointed.column);
  painter.last = result.pointed;
  for (const auto& [row, column] : cells)
    goal = painted_goal(ui.model(), goal ? &*goal : nullptr,
                        {Stage::Weights, ui.view.sequence, result.head, row, column}, *ui.view.goal_brush);
  if (!goal && !before) return;
  if (goal && before && *goal == *before) return;
  ui.send(SetGoal{goal ? std::make_shared<const Goal>(*std::move(goal)) : nullptr, painter.gesture});
}

void request_gradients(UiContext& ui, bool loss_shown) {
  if (ui.view.model.work || !ui.document.session().goal) return;
  const bool shown = ui.shows_gradients();
  if (!shown && !loss_shown) return;
  GradientsView& view = ui.requested.gradients;
  view.goal = ui.document.session().goal;
  view.parameters = shown;
  if (!shown) return;
  for (const TileRequest& tile : ui.requested.tiles)
    if (tile.content == TileContent::Gradient) view.stages |= stage_bit(tile.stage);
  view.stages |= stage_bit(Stage::Embeddings);
  if (!ui.requested.gradient_traces.empty() || !ui.requested.input_gradient_traces.empty())
    view.stages = kAllStages;
}

}  // namespace headlight
