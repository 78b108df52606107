#include "app/ui/questions/finding_view.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include <imgui.h>

#include "app/figure/plan/figure_sheet.h"
#include "app/figure/plan/names.h"
#include "app/findings/finding_files.h"
#include "app/platform/imgui_compat.h"
#include "app/ui/widgets/plan_painter.h"
#include "app/ui/widgets/widgets.h"
#include "engine/core/file_stamp.h"

namespace headlight {
namespace {

constexpr const char* kName = "model.question.answer";

std::string shown_number(float value) {
  if (std::isnan(value)) return "";
  return number_text(static_cast<double>(value), value == std::round(value) ? 0 : 4);
}

// "layer 2, head 1: 0.1234", with the word of the cell.
std::string cell_text(const FindingTable& table, Index row, Index column, Counting counting) {
  const auto at = static_cast<std::size_t>(row), other = static_cast<std::size_t>(column);
  const std::string row_name = spoken_heads(visible_label(table.rows[at]), counting);
  const bool named = row_name != table.rows[at];  // "layer 2, head 3" says what it is
  std::string text = (named || table.row_axis.empty() ? "" : table.row_axis + " ") + row_name;
  text +=
      ", " + (table.column_axis.empty() ? "" : table.column_axis + " ") + visible_label(table.columns[other]);
  if (!table.texts.empty())
    text += ": “" + visible_label(table.texts[at * table.columns.size() + other]) + "”";
  return text + ": " + shown_number(table.values(row, column));
}

void grid_view(UiContext& ui, const FindingTable& table, const Area& area) {
  FigureOptions options;
  options.decimals = 2;
  HeatmapFigure figure = table_figures(table, options, kMaxPictureCells).front();
  PlanLimits limits;
  limits.width = static_cast<double>(area.size.x);
  limits.height = static_cast<double>(area.size.y);
  limits.max_cell_px = static_cast<double>(ui.theme.px(64));
  limits.wide_cell_px = static_cast<double>(ui.theme.px(96));
  limits.tall_cell_px = static_cast<double>(ui.theme.px(96));
  limits.show_title = false;
  const HeatmapPlan plan = plan_heatmap(figure, ui.theme.figure, limits, imgui_measure(ui.theme));
  ImGui::SetCursorScreenPos(area.at);
  click_area(kName, area.size);
  ui.probe.mark(kName, std::to_string(table.values.rows()) + " x " + std::to_string(table.values.cols()));
  const std::uint64_t version = content_hash(reinterpret_cast<const char*>(table.values.data()),
                                             static_cast<std::size_t>(table.values.size()) * sizeof(float));
  paint_plan(plan, area.at, *ImGui::GetWindowDrawList(), ui.theme, ui.textures, kName, version);
  if (!ImGui::IsItemHovered() || figure.tile->pooled) return;
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const HeatmapPlan::Cell cell =
      plan.cell_at(static_cast<double>(mouse.x - area.at.x), static_cast<double>(mouse.y - area.at.y));
  if (cell.row >= 0) tooltip(ui, cell_text(table, cell.row, cell.column, ui.counting()));
}

void text_view(UiContext& ui, const FindingTable& table, const Area& area) {
  HeatText text = heat_text_of(table, {});
  const HeatTextPlan plan =
      plan_heat_text(text, static_cast<double>(area.size.x), true, ui.theme.figure, imgui_measure(ui.theme));
  ImGui::SetCursorScreenPos(area.at);
  ImGui::BeginChild("##heat text", {std::max(1.0f, area.size.x), std::max(1.0f, area.size.y)});
  const ImVec2 at = ImGui::GetCursorScreenPos();
  click_area(kName, {area.size.x, static_cast<float>(plan.drawing.height)});
  ui.probe.mark(kName, std::to_string(table.rows.size()) + " tokens");
  paint_drawing(plan.drawing, at, *ImGui::GetWindowDrawList(), ui.theme);
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const double x = static_cast<double>(mouse.x - at.x), y = static_cast<double>(mouse.y - at.y);
  for (std::size_t i = 0; ImGui::IsItemHovered() && i < plan.words.size(); ++i) {
    const Rect& word = plan.words[i];
    if (x < word.x || x >= word.right() || y < word.y || y >= word.bottom()) continue;
    std::string told = "“" + visible_label(table.rows[i]) + "”";
    for (std::size_t column = 0; column < table.columns.size(); ++column)
      told += ", " + table.columns[column] + " " +
              shown_number(table.values(static_cast<Index>(i), static_cast<Index>(column)));
    tooltip(ui, std::isnan(text.values[i]) ? "Nothing stands before it that could predict it" : told);
  }
  ImGui::EndChild();
}

std::string doubt_of(const FindingTable& table, std::size_t column) {
  return table.doubts.empty() ? "" : table.doubts[column];
}

// "induction (n = 1)".
std::string column_title(const FindingTable& table, std::size_t column) {
  const std::string doubt = doubt_of(table, column);
  return table.columns[column] + (doubt.empty() ? "" : " (" + doubt + ")");
}

// Shortened, so that a text leaves room for its numbers; whole under the pointer.
void row_name(UiContext& ui, const FindingTable& table, std::size_t row) {
  constexpr float kWidest = 420;
  const std::string whole = drawn_text(spoken_heads(visible_label(table.rows[row]), ui.counting()));
  const std::string shown = elided(whole, ui.theme.px(kWidest));
  ImGui::TextUnformatted(shown.c_str());
  ui.probe.mark("model.question.row." + std::to_string(row), shown);
  if (shown != whole) tooltip(ui, whole);
}

void list_view(UiContext& ui, const FindingTable& table, const Area& area) {
  const bool remarks = !table.remarks.empty();
  const int columns = 1 + static_cast<int>(table.columns.size()) + (remarks ? 1 : 0);
  ImGui::SetCursorScreenPos(area.at);
  constexpr ImGuiTableFlags kFlags = ImGuiTableFlags_ScrollY | ImGuiTableFlags_ScrollX |
                                     ImGuiTableFlags_RowBg | ImGuiTableFlags_SizingFixedFit;
  if (!ImGui::BeginTable("##finding", columns, kFlags, area.size)) return;
  ImGui::TableSetupScrollFreeze(1, 1);
  ImGui::TableSetupColumn(drawn_text(table.row_axis).c_str());
  for (std::size_t column = 0; column < table.columns.size(); ++column)
    ImGui::TableSetupColumn(drawn_text(column_title(table, column)).c_str());
  if (remarks)
    ImGui::TableSetupColumn(drawn_text(table.remark_title).c_str(), ImGuiTableColumnFlags_WidthStretch);
  ImGui::TableHeadersRow();
  ImGuiListClipper clipper;
  clipper.Begin(static_cast<int>(table.rows.size()));
  while (clipper.Step())
    for (int row = clipper.DisplayStart; row < clipper.DisplayEnd; ++row) {
      const auto at = static_cast<std::size_t>(row);
      ImGui::TableNextRow();
      ImGui::TableNextColumn();
      row_name(ui, table, at);
      for (Index column = 0; column < table.values.cols(); ++column) {
        ImGui::TableNextColumn();
        const bool doubtful = !doubt_of(table, static_cast<std::size_t>(column)).empty();
        ImGui::PushStyleColor(ImGuiCol_Text, to_imgui(doubtful ? ui.theme.quiet_text : ui.theme.text));
        ImGui::TextUnformatted(shown_number(table.values(row, column)).c_str());
        ImGui::PopStyleColor();
      }
      if (!remarks) continue;
      ImGui::TableNextColumn();
      ImGui::TextUnformatted(drawn_text(visible_label(table.remarks[at])).c_str());
    }
  ImGui::EndTable();
  std::string doubts;
  for (std::size_t column = 0; column < table.columns.size(); ++column)
    if (!doubt_of(table, column).empty())
      doubts += (doubts.empty() ? "; quiet: " : ", ") + column_title(table, column);
  ui.probe.mark_rect(kName, {area.at.x, area.at.y, area.size.x, area.size.y},
                     std::to_string(table.rows.size()) + " rows" + doubts);
}

}  // namespace

void finding_view(UiContext& ui, const FindingTable& table, const Area& area) {
  switch (table.kind) {
    case FindingTable::Kind::Grid:
      return grid_view(ui, table, area);
    case FindingTable::Kind::Text:
      return text_view(ui, table, area);
    case FindingTable::Kind::List:
      return list_view(ui, table, area);
  }
}

}  // namespace headlight
