#include "app/ui/picture/spotlight.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <string>

#include "app/figure/plan/heatmap_figure.h"
#include "app/ui/widgets/marks.h"

namespace headlight {
namespace {

constexpr float kFadeSeconds = 0.15f;

struct Run {
  Index begin = 0, end = 0;
};

// The list as runs of neighbours; all of 0..count if the list is empty.
std::vector<Run> runs_of(std::vector<Index> list, Index count) {
  if (list.empty()) return {{0, count}};
  std::sort(list.begin(), list.end());
  std::vector<Run> runs;
  for (const Index index : list) {
    if (index >= count) continue;
    if (!runs.empty() && index <= runs.back().end)
      runs.back().end = index + 1;
    else
      runs.push_back({index, index + 1});
  }
  return runs;
}

struct ScreenBox {
  ImVec2 a, b;
};

// The visible part of a block of the whole matrix; nullopt if the tile shows none of it.
std::optional<ScreenBox> box_of(const CellBlock& block, const Tile& tile, const HeatmapPlan& plan,
                                ImVec2 origin) {
  const TileRequest& part = tile.request;
  const CellBlock seen = {std::max(block.row, part.row_begin), std::min(block.row_end, part.row_end),
                          std::max(block.column, part.column_begin),
                          std::min(block.column_end, part.column_end)};
  if (seen.empty() || seen.columns() <= 0) return std::nullopt;
  const auto row = [&](Index index) {
    return (index - part.row_begin) * plan.cells.rows / (part.row_end - part.row_begin);
  };
  const auto column = [&](Index index) {
    return (index - part.column_begin) * plan.cells.columns / (part.column_end - part.column_begin);
  };
  const Rect first = plan.cell_rect(row(seen.row), column(seen.column));
  const Rect last = plan.cell_rect(row(seen.row_end - 1), column(seen.column_end - 1));
  return ScreenBox{
      {origin.x + static_cast<float>(first.x), origin.y + static_cast<float>(first.y)},
      {origin.x + static_cast<float>(last.right()), origin.y + static_cast<float>(last.bottom())}};
}

}  // namespace

std::vector<CellBlock> spotlight_blocks(const LessonStep& step, Index rows, Index columns) {
  std::vector<CellBlock> blocks;
  if (!step.rows.empty() || !step.columns.empty())
    for (const Run& row : runs_of(step.rows, rows))
      for (const Run& column : runs_of(step.columns, columns))
        blocks.push_back({row.begin, row.end, column.begin, column.end});
  for (const auto& [row, column] : step.cells)
    if (row < rows && column < columns) blocks.push_back({row, row + 1, column, column + 1});
  return blocks;
}

void move_light(UiContext& ui, bool lit) {
  ViewState& view = ui.view;
  const float target = lit && view.lesson.spotlight ? 1.0f : 0.0f;
  // The frame after a pause has a DeltaTime as long as the pause.
  const float step = std::min(ImGui::GetIO().DeltaTime, 0.05f) / kFadeSeconds;
  if (!ui.preferences.motion)
    view.lesson.light = target;
  else if (view.lesson.light < target)
    view.lesson.light = std::min(target, view.lesson.light + step);
  else
    view.lesson.light = std::max(target, view.lesson.light - step);
  view.lesson.fading = view.lesson.light != target;
  if (view.lesson.fading) ui.wake_within(0.01);
  if (view.lesson.light == 0 && !lit) view.lesson.spotlight.reset();
}

bool is_pointed_at(const UiContext& ui, Stage stage) {
  return ui.view.lesson.spotlight && ui.view.lesson.light > 0 && ui.view.lesson.spotlight->stage == stage;
}

void spotlight_cells(UiContext& ui, const HeatmapSpot& spot, const Tile& tile, const HeatmapPlan& plan,
                     ImVec2 origin) {
  if (!ui.view.lesson.spotlight || ui.view.lesson.light <= 0 || plan.cells.rows == 0) return;
  const LessonStep& step = *ui.view.lesson.spotlight;
  if (step.stage != spot.stage || spot.content != TileContent::Stage) return;
  const bool other = (step.head && *step.head != spot.head) || step.sequence != tile.request.sequence;
  if (other || !step.points_at_cells()) return;
  for (const CellBlock& block : spotlight_blocks(step, tile.total_rows, tile.total_columns)) {
    const std::optional<ScreenBox> box = box_of(block, tile, plan, origin);
    if (!box) continue;
    draw_mark(ui, Mark::Pointed, box->a, box->b, double{ui.view.lesson.light});
    ui.probe.mark_rect(spot.name + ".lit", {box->a.x, box->a.y, box->b.x - box->a.x, box->b.y - box->a.y});
  }
}

}  // namespace headlight
