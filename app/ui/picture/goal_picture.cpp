#include "app/ui/picture/goal_picture.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/ui/widgets/marks.h"
#include "engine/learning/number_goals.h"

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

void draw_wish(const UiContext& ui, const Rect& cell, ImVec2 origin) {
  const ImVec2 a = {origin.x + static_cast<float>(cell.x), origin.y + static_cast<float>(cell.y)};
  const ImVec2 b = {origin.x + static_cast<float>(cell.right()),
                    origin.y + static_cast<float>(cell.bottom())};
  draw_mark(ui, Mark::Supposed, a, b);
}

}  // namespace

StageColors gradient_colors(const UiContext& ui, Stage stage) {
  StageColors colors = difference_colors(ui.view.picture.colors_of(stage), stage);
  colors.shared = ui.view.picture.colors_of(stage).shared;
  colors.pooling = Pooling::AbsMax;
  return colors;
}

void draw_goal(const UiContext& ui, const Tile& tile, const HeatmapPlan& plan, ImVec2 origin) {
  const auto& goal = ui.document.session().goal;
  const TileRequest& shown = tile.request;
  const bool own = shown.content == TileContent::Stage || shown.content == TileContent::Gradient ||
                   shown.content == TileContent::ValueWeighted;
  if (!goal || ui.view.model.work || !own || shown.stage != goal->stage || tile.pooled) return;
  constexpr double kLeastCell = 8;
  if (plan.cells.rows == 0 || plan.cell_rect(0, 0).width < kLeastCell) return;
  // An edit may have made the goal unfit until another one is set.
  const auto axes = target_axes(ui.layer(), goal->stage);
  const auto fits = [](Index has, Index needed) { return has == 1 || has == needed; };
  if (!fits(goal->target.sequences, axes[0]) || !fits(goal->target.heads, axes[1]) ||
      !fits(goal->target.rows(), axes[2]) || !fits(goal->target.columns(), axes[3]))
    return;
  for (Index row = 0; row < plan.cells.rows; ++row)
    for (Index column = 0; column < plan.cells.columns; ++column) {
      const CellAddress cell = {shown.stage, shown.sequence, shown.head, shown.row_begin + row,
                                shown.column_begin + column};
      if (address_exists(ui.layer(), cell) && is_wanted(*goal, cell, axes[3]))
        draw_wish(ui, plan.cell_rect(row, column), origin);
    }
}

bool wants_numbers(Stage stage) {
  return stage != Stage::Weights && stage != Stage::Dropped && stage != Stage::Embeddings;
}

void paint_goal(UiContext& ui, MaskPainter& painter, Stage stage, const HeatmapResult& result) {
  if (stage != Stage::Weights && (!wants_numbers(stage) || ui.view.learning.brush == GoalBrush::NotHere))
    return;
  if (!ui.view.learning.brush || ui.view.model.work || !result.held || result.pointed.empty()) return;
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
  for (const auto& [row, column] : cells) {
    const CellAddress cell = {stage, ui.view.sequence, result.head, row, column};
    const Goal* const last = goal ? &*goal : nullptr;
    if (stage == Stage::Weights)
      goal = painted_goal(ui.layer(), last, cell, *ui.view.learning.brush);
    else if (address_exists(ui.layer(), cell))
      goal = wanted_number(ui.layer(), last, cell,
                           ui.view.learning.brush == GoalBrush::AttendHere
                               ? std::optional(ui.view.learning.brush_number)
                               : std::nullopt);
  }
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
  view.parameters |= shown;
  if (!shown) return;
  for (const TileRequest& tile : ui.requested.tiles)
    if (tile.content == TileContent::Gradient) view.stages |= stage_bit(tile.stage);
  view.stages |= stage_bit(Stage::Embeddings);
  if (!ui.requested.gradient_traces.empty() || !ui.requested.input_gradient_traces.empty())
    view.stages = kAllStages;
}

}  // namespace headlight
