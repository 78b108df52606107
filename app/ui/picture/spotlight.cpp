#include "app/ui/picture/spotlight.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <string>

#include "app/figure/plan/heatmap_figure.h"

namespace headlight {
namespace {

constexpr float kFadeSeconds = 0.15f;
constexpr double kCardVeil = 0.45, kCellVeil = 0.5;

struct Run {
  Index begin = 0, end = 0;
};

// Neighbours of a list joined; all of 0..count when the list is empty.
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

// A block of the whole matrix, as far as the tile shows it; none when it shows none of it.
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

void draw_glow(const UiContext& ui, const ScreenBox& box, float rounding) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const double alpha = ui.view.veil;
  const float wide = ui.theme.px(3);
  list.AddRect({box.a.x - wide * 0.5f, box.a.y - wide * 0.5f}, {box.b.x + wide * 0.5f, box.b.y + wide * 0.5f},
               to_imgui(ui.theme.accent, 0.35 * alpha), rounding, 0, wide);
  list.AddRect(box.a, box.b, to_imgui(ui.theme.accent, alpha), rounding, 0, ui.theme.px(1.5f));
}

// Cells that are not pointed at stand back; in large matrices the outline alone has to do.
void dim_cells(const UiContext& ui, const LessonStep* step, const Tile& tile, const HeatmapPlan& plan,
               ImVec2 origin) {
  constexpr Index kMostCells = Index{32} * 32;
  if (plan.cells.rows * plan.cells.columns > kMostCells) return;
  const ImU32 color = to_imgui(ui.theme.panel, kCellVeil * static_cast<double>(ui.view.veil));
  for (Index row = 0; row < plan.cells.rows; ++row) {
    for (Index column = 0; column < plan.cells.columns; ++column) {
      if (step && step->points_at(first_row(tile, row), first_column(tile, column))) continue;
      const Rect r = plan.cell_rect(row, column);
      const ImVec2 a = {origin.x + static_cast<float>(r.x), origin.y + static_cast<float>(r.y)};
      ImGui::GetWindowDrawList()->AddRectFilled(
          a, {a.x + static_cast<float>(r.width), a.y + static_cast<float>(r.height)}, color);
    }
  }
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

void move_veil(UiContext& ui, bool lit) {
  ViewState& view = ui.view;
  const float target = lit && view.spotlight ? 1.0f : 0.0f;
  // The frame after a rest is as long as the rest.
  const float step = std::min(ImGui::GetIO().DeltaTime, 0.05f) / kFadeSeconds;
  if (!ui.preferences.motion)
    view.veil = target;
  else if (view.veil < target)
    view.veil = std::min(target, view.veil + step);
  else
    view.veil = std::max(target, view.veil - step);
  view.fading = view.veil != target;
  if (view.fading) ui.wake_within(0.01);
  if (view.veil == 0 && !lit) view.spotlight.reset();
}

void spotlight_card(UiContext& ui, Stage stage, ImVec2 at, ImVec2 size) {
  if (!ui.view.spotlight || ui.view.veil <= 0) return;
  const ScreenBox box = {at, {at.x + size.x, at.y + size.y}};
  const float rounding = ui.theme.px(6);
  if (ui.view.spotlight->stage != stage) {
    ImGui::GetWindowDrawList()->AddRectFilled(
        box.a, box.b, to_imgui(ui.theme.ground, kCardVeil * static_cast<double>(ui.view.veil)), rounding);
    return;
  }
  draw_glow(ui, box, rounding);
  ui.probe.mark_rect("spotlight." + std::string(stage_info(stage).name), {at.x, at.y, size.x, size.y});
}

void spotlight_cells(UiContext& ui, const HeatmapSpot& spot, const Tile& tile, const HeatmapPlan& plan,
                     ImVec2 origin) {
  if (!ui.view.spotlight || ui.view.veil <= 0 || plan.cells.rows == 0) return;
  const LessonStep& step = *ui.view.spotlight;
  if (step.stage != spot.stage || spot.content != TileContent::Stage) return;
  const bool other = (step.head && *step.head != spot.head) || step.sequence != tile.request.sequence;
  if (!other && !step.points_at_cells()) return;
  dim_cells(ui, other ? nullptr : &step, tile, plan, origin);
  if (other) return;
  for (const CellBlock& block : spotlight_blocks(step, tile.total_rows, tile.total_columns)) {
    const std::optional<ScreenBox> box = box_of(block, tile, plan, origin);
    if (!box) continue;
    draw_glow(ui, *box, 0);
    ui.probe.mark_rect(spot.name + ".lit", {box->a.x, box->a.y, box->b.x - box->a.x, box->b.y - box->a.y});
  }
}

}  // namespace headlight
