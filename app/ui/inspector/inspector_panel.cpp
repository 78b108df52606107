#include "app/ui/inspector/inspector_panel.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include <imgui.h>

#include "app/figure/plan/heatmap_figure.h"
#include "app/platform/imgui_compat.h"
#include "app/ui/inspector/derivation.h"
#include "app/ui/kit/number_cell.h"
#include "app/ui/kit/text_fit.h"
#include "app/ui/kit/widgets.h"
#include "app/ui/picture/linked_cells.h"

namespace headlight {
namespace {

// Draws text whose right end is at `right`, on the line at `y`.
void text_at_right(ImFont* font, float right, float y, Color color, const std::string& text) {
  ImGui::GetWindowDrawList()->AddText(font, font_size(font), {std::floor(right - text_width(font, text)), y},
                                      to_imgui(color), text.c_str());
}

void text_at(ImFont* font, float x, float y, Color color, const std::string& text) {
  ImGui::GetWindowDrawList()->AddText(font, font_size(font), {x, y}, to_imgui(color),
                                      drawn_text(text).c_str());
}

// One line of a step: label at the left, number at the right.
void draw_line(const UiContext& ui, const DerivationLine& line) {
  const Theme& theme = ui.theme;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x;
  const float height = font_size(theme.fonts.text) + theme.px(2);
  const float number_width = text_width(theme.fonts.number, line.number);
  push_font(theme.fonts.label);
  const std::string label = elided(line.label, width - number_width - theme.px(8));
  ImGui::PopFont();
  text_at(theme.fonts.label, at.x, at.y + (height - font_size(theme.fonts.label)) / 2,
          line.result ? theme.text : theme.quiet_text, label);
  text_at_right(theme.fonts.number, at.x + width, at.y + (height - font_size(theme.fonts.number)) / 2,
                theme.text, line.number);
  ImGui::Dummy({width, height});
}

void draw_rule(const UiContext& ui) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  ImGui::GetWindowDrawList()->AddLine(at, {at.x + ImGui::GetContentRegionAvail().x, at.y},
                                      to_imgui(ui.theme.line), std::max(1.0f, ui.theme.px(1)));
  ImGui::Dummy({0, ui.theme.px(4)});
}

// Room for the widest label, to a point.
float label_column_width(const Theme& theme, const TermTable& table, float width) {
  float widest = 0;
  for (const std::string& label : table.labels)
    widest = std::max(widest, text_width(theme.fonts.label, label));
  return std::min(std::ceil(widest) + 1 + theme.px(4), width * 0.26f);
}

// "left × right = product", one line a term; hundreds of terms scroll in a window of their own.
void draw_terms(const UiContext& ui, const TermTable& table) {
  const Theme& theme = ui.theme;
  const float line = font_size(theme.fonts.number) + theme.px(3);
  const int count = static_cast<int>(table.terms.size());
  const float width = ImGui::GetContentRegionAvail().x;
  const float label_width = label_column_width(theme, table, width), column = (width - label_width) / 3;
  const ImVec2 head = ImGui::GetCursorScreenPos();
  text_at_right(theme.fonts.label, head.x + label_width + column, head.y, theme.quiet_text, table.left);
  text_at_right(theme.fonts.label, head.x + label_width + 2 * column, head.y, theme.quiet_text, table.right);
  text_at_right(theme.fonts.label, head.x + width, head.y, theme.quiet_text, "product");
  ImGui::Dummy({width, font_size(theme.fonts.label) + theme.px(4)});

  constexpr int kLinesInSight = 8;
  const bool scrolls = count > kLinesInSight;
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {0, 0});
  if (scrolls) begin_child("terms", {0, line * kLinesInSight}, false);
  ImGuiListClipper clipper;
  clipper.Begin(count, line);
  while (clipper.Step()) {
    for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) {
      const Term& term = table.terms[static_cast<std::size_t>(i)];
      const ImVec2 at = ImGui::GetCursorScreenPos();
      const float room = scrolls ? ImGui::GetStyle().ScrollbarSize : 0;
      push_font(theme.fonts.label);
      const std::string label = elided(table.labels[static_cast<std::size_t>(i)], label_width - theme.px(4));
      ImGui::PopFont();
      text_at(theme.fonts.label, at.x, at.y, theme.quiet_text, label);
      text_at_right(theme.fonts.number, at.x + label_width + column, at.y, theme.text,
                    number_text(term.left, 4));
      text_at_right(theme.fonts.label, at.x + label_width + column + theme.px(14), at.y, theme.quiet_text,
                    "×");
      text_at_right(theme.fonts.number, at.x + label_width + 2 * column, at.y, theme.text,
                    number_text(term.right, 4));
      text_at_right(theme.fonts.number, at.x + width - room, at.y, theme.text,
                    number_text(term.product(), 4));
      ImGui::Dummy({width - room, line});
    }
  }
  clipper.End();
  if (scrolls) ImGui::EndChild();
  ImGui::PopStyleVar();
  ImGui::Dummy({0, theme.px(2)});
  if (table.has_bias) draw_line(ui, {"+ bias", number_text(table.bias, 4)});
  draw_rule(ui);
  draw_line(ui, {"Σ = " + table.sum_label, number_text(table.sum, 4), true});
}

// Brings the step into sight that begins at `top` and ends here.
void show_step(const UiContext& ui, float top) {
  const float window = ImGui::GetWindowPos().y, bottom = ImGui::GetCursorScreenPos().y;
  if (top < window || bottom > window + ImGui::GetWindowHeight())
    ImGui::SetScrollY(
        std::max(0.0f, bottom - window + ImGui::GetScrollY() + ui.theme.px(4) - ImGui::GetWindowHeight()));
}

// `another`: a cell is shown that was not shown before.
void draw_steps(const UiContext& ui, const Derivation& derived, Stage asked, bool another) {
  for (const DerivationStep& step : derived.steps) {
    const float top = ImGui::GetCursorScreenPos().y;
    ImGui::Dummy({0, ui.theme.px(4)});
    label_text(ui, step.title, step.stage == asked ? ui.theme.accent : ui.theme.text);
    for (const DerivationLine& line : step.lines) {
      draw_line(ui, line);
      ui.probe.mark("inspector.step." + std::string(stage_info(step.stage).name) + "." + line.label,
                    line.number);
    }
    if (another && step.stage == asked) show_step(ui, top);
  }
}

Color bar_color(const UiContext& ui, CellMark mark) {
  return mark == CellMark::None ? ui.theme.link : ui.theme.line;
}

float bar_share(float value, float largest) {
  return largest > 0 && std::isfinite(value) ? std::abs(value) / largest : 0.0f;
}

// One line for each key: its token, a bar, its value.
void draw_key_lines(const UiContext& ui, const RowSummary& row, Index column, float largest) {
  const Theme& theme = ui.theme;
  const Fonts& fonts = theme.fonts;
  const float width = ImGui::GetContentRegionAvail().x, line = font_size(fonts.label) + theme.px(5);
  const float label = width * 0.28f, number = theme.px(60);
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {0, 0});
  for (std::size_t i = 0; i < row.values.size(); ++i) {
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const bool here = static_cast<Index>(i) == column;
    push_font(fonts.label);
    const std::string token = fitting_token_name(ui.model().key_labels(), static_cast<Index>(i),
                                                 ui.counting(), label - theme.px(8));
    ImGui::PopFont();
    text_at(fonts.label, at.x, at.y, here ? theme.accent : theme.quiet_text, token);
    const float length = (width - label - number) * bar_share(row.values[i], largest);
    ImGui::GetWindowDrawList()->AddRectFilled(
        {at.x + label, at.y + theme.px(2)},
        {at.x + label + std::max(length, 1.0f), at.y + line - theme.px(5)},
        to_imgui(here ? theme.accent : bar_color(ui, row.marks[i])), theme.px(2));
    text_at_right(fonts.number, at.x + width, at.y - theme.px(1), theme.text, number_text(row.values[i], 4));
    ImGui::Dummy({width, line});
  }
  ImGui::PopStyleVar();
}

// Thin columns when there are too many keys for a line each.
void draw_key_columns(const UiContext& ui, const RowSummary& row, float largest) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x, height = ui.theme.px(72);
  const float step = width / static_cast<float>(row.values.size());
  for (std::size_t i = 0; i < row.values.size(); ++i) {
    const float left = at.x + static_cast<float>(i) * step;
    ImGui::GetWindowDrawList()->AddRectFilled({left, at.y + height * (1 - bar_share(row.values[i], largest))},
                                              {left + step, at.y + height},
                                              to_imgui(bar_color(ui, row.marks[i])));
  }
  ImGui::Dummy({width, height});
}

// The chosen query's row as bars.
void draw_row_bars(const UiContext& ui, const RowSummary& row, const CellAddress& cell) {
  constexpr Index kMostLines = 24;
  ImGui::Dummy({0, ui.theme.px(8)});
  draw_rule(ui);
  const std::string query = token_name(ui.model().tokens, row.request.row, ui.counting());
  label_text(ui, std::string(stage_info(row.request.stage).name) + " of " + query + ", its whole row",
             ui.theme.text);
  float largest = 0;
  for (const float value : row.values)
    if (std::isfinite(value)) largest = std::max(largest, std::abs(value));
  if (row.total <= kMostLines)
    draw_key_lines(ui, row, cell.column, largest);
  else
    draw_key_columns(ui, row, largest);
  if (row.request.stage != Stage::Weights) return;
  ImGui::Dummy({0, ui.theme.px(4)});
  draw_line(ui, {"sum of the row", number_text(row.sum, 4), true});
  draw_line(ui, {"entropy", number_text(row.entropy_bits, 2) + " bits"});
}

void draw_value(UiContext& ui, const CellTrace& trace) {
  const Theme& theme = ui.theme;
  push_font(theme.fonts.title);
  ImGui::PushStyleColor(ImGuiCol_Text, to_imgui(theme.accent));
  ImGui::TextUnformatted(number_text(trace.value, 4).c_str());
  ImGui::PopStyleColor();
  ImGui::PopFont();
  const std::string exact =
      std::isfinite(trace.value) ? exact_number_text(trace.value) : number_text(trace.value, 4);
  ui.probe.mark("inspector.value", exact);
  std::string note = "float32: " + exact;
  if (trace.mark == CellMark::Masked) note += "   ·   masked";
  if (trace.mark == CellMark::Dropped) note += "   ·   dropped";
  quiet_text(ui, note);
}

void draw_hint(const UiContext& ui) {
  ImGui::PushStyleColor(ImGuiCol_Text, to_imgui(ui.theme.quiet_text));
  ImGui::TextWrapped(
      "Point at a cell of any picture: its value is taken apart here, down to the products it is the sum of. "
      "Click to keep it.");
  ImGui::PopStyleColor();
}

// Whether this panel showed another cell before; remembers this one.
bool is_another_cell(const CellAddress& cell) {
  const std::array<Index, 5> place = {static_cast<Index>(cell.stage), cell.sequence, cell.head, cell.row,
                                      cell.column};
  std::size_t hash = 0;
  for (const Index number : place)
    hash = hash * 1'000'003 + static_cast<std::size_t>(number) + 1;
  int* const shown = ImGui::GetStateStorage()->GetIntRef(ImGui::GetID("shown cell"), 0);
  return std::exchange(*shown, static_cast<int>(hash)) != static_cast<int>(hash);
}

RowRequest row_request(const CellAddress& cell) {
  return {cell.stage, cell.sequence, cell.head, cell.row, 256};
}

void draw_derivation(UiContext& ui, const CellTrace& trace) {
  const Stage stage = trace.cell.stage;
  const bool another = is_another_cell(trace.cell);
  if (another) ImGui::SetScrollY(0);
  const Derivation derived = derivation(ui.model(), trace, ui.counting());
  if (!derived.table.terms.empty()) {
    const bool asked = !trace.has_chain || stage == Stage::Scores;
    label_text(ui, derived.table.sum_label + " = " + derived.table.left + " · " + derived.table.right,
               asked ? ui.theme.accent : ui.theme.text);
    draw_terms(ui, derived.table);
  } else if (!derived.note.empty()) {
    ImGui::TextWrapped("%s", derived.note.c_str());
  }
  draw_steps(ui, derived, stage, another);
  if (!is_pair(stage)) return;
  if (const auto row = ui.answer->find(row_request(trace.cell))) draw_row_bars(ui, *row, trace.cell);
}

void draw_inspector(UiContext& ui) {
  heading(ui, "INSPECTOR");
  const std::optional<CellAddress> cell = ui.view.hovered ? ui.view.hovered : ui.view.selected;
  if (!cell || !address_exists(ui.model(), *cell)) {
    draw_hint(ui);
    return;
  }
  ui.wish.traces.push_back(*cell);
  if (is_pair(cell->stage)) ui.wish.rows.push_back(row_request(*cell));
  // The selected cell stays asked for while the pointer is elsewhere, so that coming back shows no gap.
  if (ui.view.selected && *ui.view.selected != *cell) ui.wish.traces.push_back(*ui.view.selected);

  push_font(ui.theme.fonts.text);
  const std::string title =
      elided(cell_title(ui.model(), *cell, ui.counting()), ImGui::GetContentRegionAvail().x);
  ImGui::TextUnformatted(title.c_str());
  ImGui::PopFont();
  ui.probe.mark("inspector.cell", cell_title(ui.model(), *cell, ui.counting()));
  std::string place = is_pair(cell->stage) ? "query row, key column" : "token row, dimension column";
  if (stage_heads(ui.model(), cell->stage) > 1) place += "   ·   " + head_name(cell->head, ui.counting());
  quiet_text(ui, place);

  const auto trace = ui.answer ? ui.answer->find(*cell) : nullptr;
  if (!trace) return;
  draw_value(ui, *trace);
  ImGui::Dummy({0, ui.theme.px(4)});
  draw_rule(ui);
  // The value stays in sight while its derivation scrolls.
  if (begin_child("derivation", ImGui::GetContentRegionAvail(), false, ImGuiWindowFlags_NoBackground))
    draw_derivation(ui, *trace);
  ImGui::EndChild();
}

}  // namespace

std::string cell_title(const Model& model, const CellAddress& cell, Counting counting) {
  std::string title = std::string(stage_info(cell.stage).name) + "[" +
                      token_name(row_labels(model, cell.stage), cell.row, counting) + ", ";
  title += (is_pair(cell.stage) ? token_name(model.key_labels(), cell.column, counting)
                                : counting.number(cell.column)) +
           "]";
  return title;
}

void inspector_panel(UiContext& ui) {
  // Closer lines than elsewhere: a derivation is read as one column of figures.
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {ui.theme.px(8), ui.theme.px(3)});
  draw_inspector(ui);
  ImGui::PopStyleVar();
}

}  // namespace headlight
