#include "app/ui/model/result_view.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include <imgui.h>

#include "app/export/result_files.h"
#include "app/figure/plan/figure_sheet.h"
#include "app/figure/plan/names.h"
#include "app/platform/imgui_compat.h"
#include "app/ui/model/result_places.h"
#include "app/ui/widgets/plan_painter.h"
#include "app/ui/widgets/widgets.h"
#include "engine/analysis/edge_attribution.h"
#include "engine/core/digits.h"
#include "engine/core/file_stamp.h"

namespace headlight {
namespace {

constexpr const char* kName = "model.question.answer";

// A table of an answer on screen.
struct ShownTable {
  const AnalysisRun& answer;
  std::size_t at;
  const ResultTable& table() const { return answer.result.tables[at]; }
};

// Says where the number comes from, and leads there where it is clicked. what: which number it is; part:
// where it stands in the last item, on the screen.
void lead_on(UiContext& ui, const ShownTable& shown, Index row, Index column, const std::string& what,
             bool pressed, const std::optional<Rect>& part = std::nullopt) {
  const auto say = [&](const std::string& text) { part ? tooltip(ui, text, *part) : tooltip(ui, text); };
  if (std::isnan(shown.table().values(row, column))) return say(what + ": there is no number");
  const NumberPlace place = answer_place(ui, shown.answer, shown.at, row, column);
  say(told_place(ui, what, place));
  if (pressed) show_answer_place(ui, shown.answer, place);
}

// "0.5714 ± 0.0213": with its standard error, where it is a mean over a data set.
std::string table_number(const ResultTable& table, Index row, Index column) {
  std::string number = exact_number(double{table.values(row, column)});
  if (table.error.size() == 0 || std::isnan(table.error(row, column))) return number;
  return number + " ± " + four_decimals(double{table.error(row, column)});
}

// "layer 2, head 1: 0.1234", with the word of the cell.
std::string cell_text(const ResultTable& table, Index row, Index column, Counting counting) {
  const auto at = static_cast<std::size_t>(row), other = static_cast<std::size_t>(column);
  // "layer 2, head 3" says what it is.
  const auto named = [](const std::string& axis) { return axis.empty() || axis == "head" ? "" : axis + " "; };
  const auto spoken = [&](const std::string& name) { return spoken_heads(visible_label(name), counting); };
  std::string text = named(table.row_axis) + spoken(table.rows[at]);
  text += ", " + (table.column_axis.empty() ? "" : table.column_axis + " ") + spoken(table.columns[other]);
  if (!table.texts.empty())
    text += ": “" + visible_label(table.texts[at * table.columns.size() + other]) + "”";
  return text + ": " + table_number(table, row, column);
}

ResultTable part_of(const ResultTable& table, const CellBlock& part) {
  ResultTable seen = table;
  seen.values = table.values.block(part.row, part.column, part.rows(), part.columns());
  seen.rows.assign(table.rows.begin() + part.row, table.rows.begin() + part.row_end);
  seen.columns.assign(table.columns.begin() + part.column, table.columns.begin() + part.column_end);
  seen.texts.clear();
  for (Index row = part.row; !table.texts.empty() && row < part.row_end; ++row) {
    const auto line = table.texts.begin() + row * table.values.cols();
    seen.texts.insert(seen.texts.end(), line + part.column, line + part.column_end);
  }
  return seen;
}

// The part that is seen, in the colours of all of it.
HeatmapFigure figure_of(const ResultTable& table, const CellBlock& part) {
  FigureOptions options;
  options.decimals = 2;
  HeatmapFigure all = table_figures(table, options, kMaxPictureCells).front();
  if (part == whole_of({table.values.rows(), table.values.cols()})) return all;
  HeatmapFigure figure = table_figures(part_of(table, part), options, kMaxPictureCells).front();
  figure.range = all.range;
  figure.colormap = all.colormap;
  return figure;
}

PlanLimits grid_limits(const Theme& theme, ImVec2 size) {
  PlanLimits limits;
  limits.width = static_cast<double>(size.x);
  limits.height = static_cast<double>(size.y);
  limits.max_cell_px = static_cast<double>(theme.px(64));
  limits.wide_cell_px = static_cast<double>(theme.px(96));
  limits.tall_cell_px = static_cast<double>(theme.px(96));
  limits.show_title = false;
  return limits;
}

std::string region_text(const CellBlock& part) {
  const auto range = [](Index begin, Index end) {
    return std::to_string(begin) + " to " + std::to_string(end - 1);
  };
  return "rows " + range(part.row, part.row_end) + ", columns " + range(part.column, part.column_end);
}

void grid_view(UiContext& ui, ResultMap& map, const ShownTable& shown, const Area& area) {
  const ResultTable& table = shown.table();
  const MapShape shape = {table.values.rows(), table.values.cols()};
  const CellBlock part = fitted(map.region, shape);
  const HeatmapFigure figure = figure_of(table, part);
  const HeatmapPlan plan =
      plan_heatmap(figure, ui.theme.figure, grid_limits(ui.theme, area.size), imgui_measure(ui.theme));
  ImGui::SetCursorScreenPos(area.at);
  const bool pressed = click_area(kName, area.size);
  ui.probe.mark(kName, std::to_string(shape.rows) + " x " + std::to_string(shape.columns));
  const Rect& cells = plan.cells.rect;
  const ImVec2 at = {area.at.x + static_cast<float>(cells.x), area.at.y + static_cast<float>(cells.y)};
  ui.probe.mark_rect("model.question.cells", {at.x, at.y, cells.width, cells.height}, region_text(part));
  const std::uint64_t version = content_hash(reinterpret_cast<const char*>(table.values.data()),
                                             static_cast<std::size_t>(table.values.size()) * sizeof(float));
  const auto place = static_cast<std::uint64_t>((part.row * shape.columns + part.column) * shape.columns);
  paint_plan(plan, area.at, *ImGui::GetWindowDrawList(), ui.theme, ui.textures, kName,
             version ^ (place + static_cast<std::uint64_t>(part.columns())));
  CellBlock next = part;
  const bool held = map_gestures(map.gesture, kName, shape, at,
                                 {static_cast<float>(cells.width), static_cast<float>(cells.height)}, next);
  const bool hovered = ImGui::IsItemHovered();
  map.region = hovered && key_pressed(Key::Home) ? CellBlock() : next;
  if (!hovered || held || figure.tile->pooled) return;
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const HeatmapPlan::Cell cell =
      plan.cell_at(static_cast<double>(mouse.x - area.at.x), static_cast<double>(mouse.y - area.at.y));
  if (cell.row < 0) return;
  outline_cell(ui.theme, plan, area.at, cell, ui.theme.text);
  const Index row = part.row + cell.row, column = part.column + cell.column;
  Rect place_of_cell = plan.cell_rect(cell.row, cell.column);
  place_of_cell.x += double{area.at.x};
  place_of_cell.y += double{area.at.y};
  lead_on(ui, shown, row, column, cell_text(table, row, column, ui.counting()), pressed, place_of_cell);
}

// How many of the edges have a line: few of them differ more than many do, so that the scale is logarithmic.
void edges_slider(UiContext& ui, const LayeredEdges& edges, ImVec2 at, float width) {
  AnalysisView& view = ui.view.model.analyses;
  auto shown = static_cast<int>(edges.shown);
  ImGui::SetCursorScreenPos(at);
  ImGui::SetNextItemWidth(width);
  if (ImGui::SliderInt("##edges", &shown, 1, static_cast<int>(edges.edges.size()), "%d strongest edges",
                       ImGuiSliderFlags_Logarithmic | ImGuiSliderFlags_AlwaysClamp))
    view.edges_shown = shown;
  ui.probe.mark("model.question.edges", std::to_string(edges.shown));
  tooltip(ui,
          "How many edges are drawn, the strongest first; the curve marks how much of the target a run "
          "carries that keeps as many");
}

// A click on a node shows it: a head, or the stream where the embedding or the logits read it.
void lead_on_node(UiContext& ui, const EdgeEnd& end, bool pressed) {
  const Counting counting = ui.counting();
  const std::string layer = "layer " + counting.number(end.layer);
  const auto shown = [&](const std::string& name, const NumberPlace& place) {
    tooltip(ui, told_place(ui, name, place));
    if (pressed) follow_place(ui, place);
  };
  if (end.kind == EdgeEnd::Kind::Head)
    return shown(layer + ", head " + counting.number(end.head),
                 head_place(ui, LayerPlace(end.layer), end.head));
  if (end.kind == EdgeEnd::Kind::Mlp) return shown(layer + ", MLP", mlp_place(ui, end.layer, true));
  const bool logits = end.kind == EdgeEnd::Kind::Logits;
  shown(logits ? "logits" : "embedding", stream_place(ui, end.layer, std::nullopt));
}

std::string node_mark(const EdgeEnd& end) {
  const std::string layer = std::to_string(end.layer);
  if (end.kind == EdgeEnd::Kind::Head) return layer + "." + std::to_string(end.head);
  if (end.kind == EdgeEnd::Kind::Mlp) return "mlp." + layer;
  return end.kind == EdgeEnd::Kind::Logits ? "logits" : "embedding";
}

// The edges in order, and how many are drawn.
const LayeredEdges& edges_of(UiContext& ui, ResultMap& map, const ShownTable& shown) {
  const AnalysisResult& result = shown.answer.result;
  if (!map.edges) {
    map.edges = layered_edges(result, ui.counting());
    map.rows_and_columns = strongest_edges(result.tables.front().values);
  }
  const Index wanted = ui.view.model.analyses.edges_shown.value_or(result.edges->shown);
  map.edges->shown = std::min(static_cast<std::size_t>(wanted), map.edges->edges.size());
  map.edges->counting = ui.counting();
  return *map.edges;
}

void edges_view(UiContext& ui, ResultMap& map, const ShownTable& shown, const Area& area) {
  const LayeredEdges& edges = edges_of(ui, map, shown);
  edges_slider(ui, edges, area.at, std::min(ui.theme.px(260), area.size.x));
  const float above = ImGui::GetFrameHeight() + ui.theme.px(8);
  const ImVec2 at = {area.at.x, area.at.y + above}, size = {area.size.x, std::max(1.0f, area.size.y - above)};
  ImGui::SetCursorScreenPos(at);
  const bool pressed = click_area(kName, size);
  ui.probe.mark(kName, std::to_string(edges.shown) + " of " + std::to_string(edges.edges.size()) + " edges");
  const EdgesPlan plan = plan_edges(edges, ui.theme.figure, static_cast<double>(size.x),
                                    static_cast<double>(size.y), imgui_measure(ui.theme));
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const bool hovered = ImGui::IsItemHovered();
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const double x = static_cast<double>(mouse.x - at.x), y = static_cast<double>(mouse.y - at.y);
  const EdgesPlan::Node* const node = hovered ? plan.node_at(x, y) : nullptr;
  const EdgesPlan::Line* const line =
      hovered && !node ? plan.line_at(x, y, static_cast<double>(ui.theme.px(5))) : nullptr;
  paint_drawing(plan.lines_drawing, at, list, ui.theme);
  if (line) {
    Drawing pointed;
    pointed.curves.push_back({line->path, line->width + 2, ui.theme.figure.accent});
    paint_drawing(pointed, at, list, ui.theme);
  }
  paint_drawing(plan.drawing, at, list, ui.theme);
  for (const EdgesPlan::Node& one : plan.nodes)
    ui.probe.mark_rect("model.question.node." + node_mark(one.end),
                       {at.x + one.rect.x, at.y + one.rect.y, one.rect.width, one.rect.height},
                       one.touched ? "kept" : "");
  if (node) lead_on_node(ui, node->end, pressed);
  if (!line) return;
  const auto [row, column] = map.rows_and_columns[line->edge];
  lead_on(ui, shown, row, column, cell_text(shown.table(), row, column, ui.counting()), pressed);
}

// "“Ann”, loss 1.2345, rank 2".
std::string word_text(const ResultTable& table, std::size_t word) {
  std::string text = "“" + visible_label(table.rows[word]) + "”";
  for (std::size_t column = 0; column < table.columns.size(); ++column)
    text += ", " + table.columns[column] + " " +
            exact_number(double{table.values(static_cast<Index>(word), static_cast<Index>(column))});
  return text;
}

void text_view(UiContext& ui, const ShownTable& shown, const Area& area) {
  const ResultTable& table = shown.table();
  HeatText text = heat_text_of(table, {});
  const HeatTextPlan plan =
      plan_heat_text(text, static_cast<double>(area.size.x), true, ui.theme.figure, imgui_measure(ui.theme));
  ImGui::SetCursorScreenPos(area.at);
  ImGui::BeginChild("##heat text", {std::max(1.0f, area.size.x), std::max(1.0f, area.size.y)});
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const bool pressed = click_area(kName, {area.size.x, static_cast<float>(plan.drawing.height)});
  ui.probe.mark(kName, std::to_string(table.rows.size()) + " tokens");
  paint_drawing(plan.drawing, at, *ImGui::GetWindowDrawList(), ui.theme);
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const double x = static_cast<double>(mouse.x - at.x), y = static_cast<double>(mouse.y - at.y);
  const bool hovered = ImGui::IsItemHovered();
  for (std::size_t i = 0; i < plan.words.size(); ++i) {
    const Rect& word = plan.words[i];
    ui.probe.mark_rect("model.question.word." + std::to_string(i),
                       {at.x + word.x, at.y + word.y, word.width, word.height}, word_text(table, i));
    if (!hovered || x < word.x || x >= word.right() || y < word.y || y >= word.bottom()) continue;
    if (std::isnan(text.values[i]))
      tooltip(ui, "Nothing stands before it that could predict it");
    else
      lead_on(ui, shown, static_cast<Index>(i), 0, word_text(table, i), pressed,
              Rect{at.x + word.x, at.y + word.y, word.width, word.height});
  }
  ImGui::EndChild();
}

std::string doubt_of(const ResultTable& table, std::size_t column) {
  return table.doubts.empty() ? "" : table.doubts[column];
}

// "induction (n = 1)".
std::string column_title(const ResultTable& table, std::size_t column) {
  const std::string doubt = doubt_of(table, column);
  return table.columns[column] + (doubt.empty() ? "" : " (" + doubt + ")");
}

// The column of the numbers that the pointer is in; the first one beside them.
Index pointed_column(Index columns) {
  for (Index column = 0; column < columns; ++column)
    if ((ImGui::TableGetColumnFlags(static_cast<int>(column) + 1) & ImGuiTableColumnFlags_IsHovered) != 0)
      return column;
  return 0;
}

// The name is shortened, so that a text leaves room for its numbers; whole under the pointer. The whole row
// leads on.
void row_name(UiContext& ui, const ShownTable& shown, std::size_t row) {
  constexpr float kWidest = 420;
  const ResultTable& table = shown.table();
  const std::string whole = drawn_text(spoken_heads(visible_label(table.rows[row]), ui.counting()));
  const std::string name = elided(whole, ui.theme.px(kWidest));
  ImGui::PushID(static_cast<int>(row));
  const bool pressed = ImGui::Selectable("##row", false, ImGuiSelectableFlags_SpanAllColumns);
  ui.probe.mark("model.question.row." + std::to_string(row), name);
  if (ImGui::IsItemHovered()) {
    const Index column = pointed_column(table.values.cols()), at = static_cast<Index>(row);
    const std::string number =
        table.columns[static_cast<std::size_t>(column)] + " " + table_number(table, at, column);
    lead_on(ui, shown, at, column, whole + ": " + number, pressed);
  }
  ImGui::PopID();
  ImGui::SameLine(0, 0);
  ImGui::TextUnformatted(name.c_str());
}

void list_view(UiContext& ui, const ShownTable& shown, const Area& area) {
  const ResultTable& table = shown.table();
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
      row_name(ui, shown, at);
      for (Index column = 0; column < table.values.cols(); ++column) {
        ImGui::TableNextColumn();
        const bool doubtful = !doubt_of(table, static_cast<std::size_t>(column)).empty();
        ImGui::PushStyleColor(ImGuiCol_Text, to_imgui(doubtful ? ui.theme.quiet_text : ui.theme.text));
        ImGui::TextUnformatted(table_number(table, row, column).c_str());
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

void result_view(UiContext& ui, ResultMap& map, const std::shared_ptr<const AnalysisRun>& answer,
                 std::size_t table, const Area& area) {
  if (map.of != answer || map.table != table) map = {answer, table, {}, {}, {}, {}};
  const ShownTable shown = {*answer, table};
  const bool matrix = ui.view.model.analyses.edges_as_matrix;
  if (answer->result.edges && table == 0 && !matrix) return edges_view(ui, map, shown, area);
  switch (shown.table().kind) {
    case ResultTable::Kind::Grid:
      return grid_view(ui, map, shown, area);
    case ResultTable::Kind::Text:
      return text_view(ui, shown, area);
    case ResultTable::Kind::List:
      return list_view(ui, shown, area);
  }
}

}  // namespace headlight
