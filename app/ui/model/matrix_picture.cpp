#include "app/ui/model/matrix_picture.h"

#include <algorithm>
#include <cstdio>
#include <functional>

#include "app/figure/plan/heatmap_figure.h"
#include "app/figure/plan/names.h"
#include "app/platform/imgui_compat.h"
#include "app/ui/widgets/plan_painter.h"
#include "engine/core/file_stamp.h"
#include "engine/core/sheet_label.h"
#include "engine/views/matrix_tile.h"

namespace headlight {
namespace {

// The range of all numbers, symmetric about zero.
ColorRange range_of(const Matrix& values) {
  StageColors colors;
  colors.map = ColormapKind::PurpleGreen;
  colors.range = RangeKind::Symmetric;
  return color_range({matrix_tile(values, values.rows(), values.cols()).range, {}}, colors, Stage::Output);
}

// Leaves cells empty that do not exist.
void leave_empty(HeatmapPlan& plan, const MatrixPicture& picture) {
  const bool each = plan.cells.rows == picture.values.rows() && plan.cells.columns == picture.values.cols();
  if (!picture.exists || !each || plan.cells.colors.empty()) return;
  for (Index row = 0; row < plan.cells.rows; ++row)
    for (Index column = 0; column < plan.cells.columns; ++column) {
      if (picture.exists(row, column)) continue;
      plan.cells.colors[static_cast<std::size_t>(row * plan.cells.columns + column)] = plan.background;
      const Rect cell = plan.cell_rect(row, column);
      std::erase_if(plan.texts, [&](const PlannedText& text) {
        return text.face == FontFace::Number && text.x >= cell.x && text.x < cell.right() &&
               text.y >= cell.y && text.y <= cell.bottom();
      });
    }
}

bool cuts_row_axis(const HeatmapPlan& plan, const MatrixPicture& picture) {
  return plan.detail.axis_names && !picture.row_axis.empty() &&
         std::none_of(plan.texts.begin(), plan.texts.end(),
                      [&](const PlannedText& text) { return text.text == picture.row_axis; });
}

// The names of the axes give way where more rows then have a name, and where that of the rows would be cut.
HeatmapPlan plan_with_names(const Theme& theme, const MatrixPicture& picture, const HeatmapFigure& figure,
                            PlanLimits limits) {
  constexpr float kLongestName = 64;  // planned pixels
  HeatmapPlan plan = plan_heatmap(figure, theme.figure, limits, imgui_measure(theme));
  const bool cut = cuts_row_axis(plan, picture);
  if (plan.row_labels == picture.values.rows() && !cut) return plan;
  limits.detail = PlanDetail{false, true, static_cast<double>(theme.px(kLongestName))};
  HeatmapPlan bare = plan_heatmap(figure, theme.figure, limits, imgui_measure(theme));
  const bool better = bare.row_labels > plan.row_labels || (cut && bare.row_labels == plan.row_labels);
  return better ? bare : plan;
}

}  // namespace

std::uint64_t picture_version(const Matrix& values) {
  return content_hash(reinterpret_cast<const char*>(values.data()),
                      static_cast<std::size_t>(values.size()) * sizeof(float));
}

std::string matrix_text(const MatrixPicture& picture) {
  std::string text = picture.row_axis;
  for (const std::string& column : picture.columns)
    text += "\t" + sheet_label(visible_label(column));
  for (Index row = 0; row < picture.values.rows(); ++row) {
    text += "\n" + sheet_label(picture.rows[static_cast<std::size_t>(row)]);
    for (const float value : picture.values.row(row)) {
      char number[32];
      std::snprintf(number, sizeof number, "\t%.9g", static_cast<double>(value));
      text += number;
    }
  }
  return text + "\n";
}

HeatmapPlan plan_matrix(const Theme& theme, const MatrixPicture& picture, ImVec2 size) {
  const Matrix& values = picture.values;
  HeatmapFigure figure;
  figure.tile = std::make_shared<const Tile>(matrix_tile(values, values.rows(), values.cols()));
  figure.row_labels = picture.rows;
  figure.column_labels = picture.columns;
  figure.row_axis = picture.row_axis;
  figure.column_axis = picture.column_axis;
  figure.colormap = ColormapKind::PurpleGreen;
  figure.range = range_of(values);
  if (picture.alike) {
    Matrix both(values.rows() + picture.alike->rows(), values.cols());
    both << values, *picture.alike;
    figure.range = range_of(both);
  }
  figure.decimals = picture.decimals;
  PlanLimits limits;
  limits.width = static_cast<double>(size.x);
  limits.height = static_cast<double>(size.y);
  limits.max_cell_px = static_cast<double>(theme.px(56));
  limits.wide_cell_px = static_cast<double>(theme.px(88));
  limits.named_row_px = static_cast<double>(theme.px(18));
  limits.show_title = false;
  HeatmapPlan plan = plan_with_names(theme, picture, figure, limits);
  leave_empty(plan, picture);
  return plan;
}

MatrixEvents matrix_picture(UiContext& ui, const MatrixPicture& picture, const Area& area) {
  const Matrix& values = picture.values;
  const HeatmapPlan plan = plan_matrix(ui.theme, picture, area.size);
  ImGui::SetCursorScreenPos(area.at);
  const bool pressed = click_area(picture.name.c_str(), area.size);
  ui.probe.mark(picture.name, std::to_string(values.rows()) + " x " + std::to_string(values.cols()));
  paint_plan(plan, area.at, *ImGui::GetWindowDrawList(), ui.theme, ui.textures, picture.name,
             picture_version(values) ^ (picture.alike ? picture_version(*picture.alike) : 0));
  const Rect& cells = plan.cells.rect;
  ui.probe.mark_rect(picture.name + ".cells",
                     {double{area.at.x} + cells.x, double{area.at.y} + cells.y, cells.width, cells.height});
  if (picture.chosen)
    outline_cell(ui.theme, plan, area.at, {picture.chosen->first, picture.chosen->second}, ui.theme.accent);
  MatrixEvents events;
  if (!ImGui::IsItemHovered()) return events;
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const HeatmapPlan::Cell cell = plan.cell_at(mouse.x - area.at.x, mouse.y - area.at.y);
  if (cell.row < 0) return events;
  outline_cell(ui.theme, plan, area.at, cell, ui.theme.text);
  events.pointed = std::pair{cell.row, cell.column};
  events.cell = plan.cell_rect(cell.row, cell.column);
  events.cell.x += double{area.at.x};
  events.cell.y += double{area.at.y};
  if (pressed) events.pressed = events.pointed;
  return events;
}

}  // namespace headlight
