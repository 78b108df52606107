#include "app/ui/model/matrix_picture.h"

#include <algorithm>
#include <cstdio>
#include <functional>

#include "app/figure/plan/heatmap_figure.h"
#include "app/figure/plan/names.h"
#include "app/platform/imgui_compat.h"
#include "app/ui/widgets/plan_painter.h"
#include "engine/core/file_stamp.h"
#include "engine/foreign/sheet_label.h"
#include "engine/views/matrix_tile.h"

namespace headlight {
namespace {

constexpr float kBarWidth = 72;  // planned pixels: a colour bar with its numbers
constexpr float kBarGap = 10;    // between its numbers and the next bar

void outline(const UiContext& ui, const HeatmapPlan& plan, ImVec2 origin, Index row, Index column,
             Color color) {
  const Rect cell = plan.cell_rect(row, column);
  const ImVec2 at = {origin.x + static_cast<float>(cell.x), origin.y + static_cast<float>(cell.y)};
  ImGui::GetWindowDrawList()->AddRect(
      at, {at.x + static_cast<float>(cell.width), at.y + static_cast<float>(cell.height)}, to_imgui(color), 0,
      0, std::max(1.0f, ui.theme.px(1.5f)));
}

// The range of some of the columns, symmetric about zero.
ColorRange range_of(const Matrix& values) {
  StageColors colors;
  colors.map = ColormapKind::PurpleGreen;
  colors.range = RangeKind::Symmetric;
  return color_range({matrix_tile(values, values.rows(), values.cols()).range, {}}, colors, Stage::Output);
}

// Below a bar that is right of the cells.
PlannedText bar_text(const Theme& theme, const PlannedBar& bar, const std::string& text) {
  PlannedText name;
  name.text = text;
  name.size_px = theme.figure.label_size_px;
  name.color = theme.figure.quiet_text;
  name.x = bar.rect.x;
  name.y = bar.rect.bottom() + bar.bottom_tip_px + 1.5 * name.size_px;
  return name;
}

// Takes the columns from `column` on, with their numbers and their bar, from a plan with another range; the
// bar stands `beside` pixels to the right of the first one.
void take_columns(HeatmapPlan& plan, const HeatmapPlan& other, Index column, double beside) {
  const double width = plan.cells.rect.width / static_cast<double>(std::max<Index>(plan.cells.columns, 1));
  const double dx = plan.cells.rect.x - other.cells.rect.x, dy = plan.cells.rect.y - other.cells.rect.y;
  const auto is_taken = [column, width](const PlannedText& text, const Rect& cells) {
    return text.face == FontFace::Number && text.y >= cells.y && text.y <= cells.bottom() &&
           text.x >= cells.x + width * static_cast<double>(column) && text.x < cells.right();
  };
  std::erase_if(plan.texts, [&](const PlannedText& text) { return is_taken(text, plan.cells.rect); });
  for (Index row = 0; row < plan.cells.rows; ++row)
    for (Index i = column; i < plan.cells.columns; ++i) {
      const auto at = static_cast<std::size_t>(row * plan.cells.columns + i);
      plan.cells.colors[at] = other.cells.colors[at];
    }
  for (PlannedText text : other.texts) {
    const bool of_bar = text.x > other.cells.rect.right() && text.face == FontFace::Number;
    if (!of_bar && !is_taken(text, other.cells.rect)) continue;
    text.x += dx + (of_bar ? beside : 0);
    text.y += dy;
    plan.texts.push_back(std::move(text));
  }
  for (PlannedLine line : other.lines) {
    if (line.x1 <= other.cells.rect.right()) continue;  // ticks of the bar
    line.x1 += dx + beside;
    line.x2 += dx + beside;
    line.y1 += dy;
    line.y2 += dy;
    plan.lines.push_back(line);
  }
  for (PlannedBar bar : other.bars) {
    bar.rect.x += dx + beside;
    bar.rect.y += dy;
    plan.bars.push_back(std::move(bar));
  }
  for (PlannedBox box : other.boxes) {
    if (box.rect.x <= other.cells.rect.right()) continue;  // the frame of the bar
    box.rect.x += dx + beside;
    box.rect.y += dy;
    plan.boxes.push_back(box);
  }
}

// From the left edge of the first bar to the end of its numbers.
double bar_extent(const HeatmapPlan& plan, const MeasureText& measure) {
  if (plan.bars.empty()) return 0;
  const double left = plan.bars.front().rect.x;
  double right = plan.bars.front().rect.right();
  for (const PlannedText& text : plan.texts)
    if (text.face == FontFace::Number && text.x > left)
      right = std::max(right, text.x + measure(text.text, text.size_px, text.face).width);
  return right - left;
}

// Head and MLP differ in size by an order of magnitude: each has its colours.
HeatmapPlan plan_apart(const Theme& theme, const MatrixPicture& picture, HeatmapFigure figure,
                       PlanLimits limits) {
  const Matrix& values = picture.values;
  const auto measure = imgui_measure(theme);
  double beside = double{theme.px(kBarWidth)};
  const double width = limits.width;
  limits.width = width - beside;
  limits.height -= 2 * theme.figure.label_size_px;  // the names below the bars
  figure.range = range_of(values.leftCols(picture.apart));
  HeatmapPlan plan = plan_heatmap(figure, theme.figure, limits, measure);
  if (const double needed = bar_extent(plan, measure) + double{theme.px(kBarGap)}; needed > beside) {
    beside = needed;
    limits.width = width - beside;
    plan = plan_heatmap(figure, theme.figure, limits, measure);
  }
  if (plan.cells.columns == 0 || plan.cells.colors.empty()) return plan;
  PlanLimits same = limits;
  same.width = same.height = 0;
  same.cell_px = plan.cells.rect.width / static_cast<double>(plan.cells.columns);
  same.cell_height_px = plan.cells.rect.height / static_cast<double>(plan.cells.rows);
  same.detail = plan.detail;
  figure.show_colorbar = !plan.bars.empty();
  figure.range = range_of(values.rightCols(values.cols() - picture.apart));
  take_columns(plan, plan_heatmap(figure, theme.figure, same, measure), picture.apart, beside);
  if (plan.bars.size() == 2) {
    plan.texts.push_back(bar_text(theme, plan.bars.front(), picture.bar_name));
    plan.texts.push_back(bar_text(theme, plan.bars.back(), picture.apart_name));
  }
  plan.width += beside;
  return plan;
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
  limits.show_title = false;
  if (picture.apart > 0) return plan_apart(theme, picture, figure, limits);
  return plan_heatmap(figure, theme.figure, limits, imgui_measure(theme));
}

MatrixEvents matrix_picture(UiContext& ui, const MatrixPicture& picture, const Area& area) {
  const Matrix& values = picture.values;
  const HeatmapPlan plan = plan_matrix(ui.theme, picture, area.size);
  ImGui::SetCursorScreenPos(area.at);
  const bool pressed = click_area(picture.name.c_str(), area.size);
  ui.probe.mark(picture.name, std::to_string(values.rows()) + " x " + std::to_string(values.cols()));
  paint_plan(plan, area.at, *ImGui::GetWindowDrawList(), ui.theme, ui.textures, picture.name,
             picture_version(values) ^ (picture.alike ? picture_version(*picture.alike) : 0));
  if (picture.chosen)
    outline(ui, plan, area.at, picture.chosen->first, picture.chosen->second, ui.theme.accent);
  MatrixEvents events;
  if (!ImGui::IsItemHovered()) return events;
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const HeatmapPlan::Cell cell = plan.cell_at(mouse.x - area.at.x, mouse.y - area.at.y);
  if (cell.row < 0) return events;
  outline(ui, plan, area.at, cell.row, cell.column, ui.theme.text);
  events.pointed = std::pair{cell.row, cell.column};
  if (pressed) events.pressed = events.pointed;
  return events;
}

}  // namespace headlight
