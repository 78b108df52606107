#include "app/ui/inspector/inspector_panel.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/figure/plan/heatmap_figure.h"
#include "app/platform/imgui_compat.h"
#include "app/ui/context/input_gradient.h"
#include "app/ui/inspector/inspector_parts.h"
#include "app/ui/widgets/number_cell.h"
#include "app/ui/widgets/widgets.h"

namespace headlight {
namespace inspector {

void text_at(ImFont* font, ImVec2 at, Color color, const std::string& text) {
  ImGui::GetWindowDrawList()->AddText(font, font_size(font), at, to_imgui(color), drawn_text(text).c_str());
}

void text_at_right(ImFont* font, float right, float y, Color color, const std::string& text) {
  ImGui::GetWindowDrawList()->AddText(font, font_size(font), {std::floor(right - text_width(font, text)), y},
                                      to_imgui(color), text.c_str());
}

void draw_labelled(const UiContext& ui, ImVec2 at, ImVec2 size, Color color, const std::string& label,
                   const std::string& number) {
  const Fonts& fonts = ui.theme.fonts;
  push_font(fonts.label);
  const std::string text =
      elided(label, size.x - (number.empty() ? 0 : text_width(fonts.number, number) + ui.theme.px(8)));
  ImGui::PopFont();
  const auto middle = [&](ImFont* font) { return std::floor(at.y + (size.y - font_size(font)) / 2); };
  text_at(fonts.label, {at.x, middle(fonts.label)}, color, text);
  text_at_right(fonts.number, at.x + size.x, middle(fonts.number), ui.theme.text, number);
}

void draw_rule(const UiContext& ui) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  ImGui::GetWindowDrawList()->AddLine(at, {at.x + ImGui::GetContentRegionAvail().x, at.y},
                                      to_imgui(ui.theme.line), std::max(1.0f, ui.theme.px(1)));
  ImGui::Dummy({0, ui.theme.px(4)});
}

void select_shown(UiContext& ui, const CellAddress& cell) {
  if (!address_exists(ui.layer(), cell)) return;
  ui.view.selection.cell = cell;
  ui.view.focused_stage = cell.stage;
  if (ui.view.opened_stage) ui.view.opened_stage = cell.stage;
}

void offer_source(UiContext& ui, InspectorState& state, const NumberSource& source, bool pressed) {
  if (pressed && source.input) {
    ui.view.selection.asked = source.input;
    ui.wake_within(0.001);
  } else if (pressed && source.cell) {
    select_shown(ui, *source.cell);
  }
  if (!ImGui::IsItemHovered()) return;
  ui.view.selection.pointed.now = source.input;
  if (source.cell && address_exists(ui.layer(), *source.cell))
    ui.view.selection.hovered.now = state.pointed = source.cell;
}

namespace {

// "journey (1) → starts (2)", "journey (1), dimension 2": both tokens are shortened before one is left out.
std::string fitted_title(const UiContext& ui, const CellAddress& cell, float width) {
  const Layer& model = ui.layer();
  const std::span<const std::string> rows = row_labels(model, cell.stage);
  const LessonLanguage& language = language_of(ui.document.session());
  const std::string dimension = label_text(language, LessonLabel::Dimension);
  const std::string behind = ", " + dimension + " " + ui.counting().number(cell.column), arrow = " → ";
  if (!is_pair(cell.stage)) {
    const float room = width - ImGui::CalcTextSize(behind.c_str()).x;
    return elided(fitting_token_name(rows, cell.row, ui.counting(), room) + behind, width);
  }
  const std::span<const std::string> keys = model.key_labels();
  const float room = width - ImGui::CalcTextSize(arrow.c_str()).x;
  const float key = text_width(ImGui::GetFont(), token_name(keys, cell.column, ui.counting()));
  const std::string query = fitting_token_name(rows, cell.row, ui.counting(), std::max(room / 2, room - key));
  return query + arrow +
         fitting_token_name(keys, cell.column, ui.counting(), room - text_width(ImGui::GetFont(), query));
}

void draw_title(UiContext& ui, const InspectorState& state, const CellAddress& cell) {
  ImFont* const font = ui.theme.fonts.text;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x - state.header_room;
  push_font(font);
  const std::string title = fitted_title(ui, cell, width);
  ImGui::PopFont();
  text_at(font, at, ui.theme.text, title);
  ImGui::Dummy({width, font_size(font)});
  ui.probe.mark("inspector.cell", cell_title(ui.layer(), cell, ui.counting()));
  tooltip(ui, cell_title(ui.layer(), cell, ui.counting(), language_of(ui.document.session())));
}

std::string marked(const std::string& place, CellMark mark, const LessonLanguage& language) {
  if (mark == CellMark::Masked) return place + "  ·  " + label_text(language, LessonLabel::Forbidden);
  if (mark != CellMark::Dropped) return place;
  // In English the stage itself is called "dropped".
  const bool own = has_label(language, LessonLabel::Dropped);
  return place + "  ·  " + (own ? label_text(language, LessonLabel::Dropped) : "set to zero");
}

// The cell's place, and its value in large type at the right.
void draw_value(UiContext& ui, InspectorState& state, const CellAddress& cell, const CellTrace* trace) {
  const Theme& theme = ui.theme;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x, height = font_size(theme.fonts.title);
  const std::string value = trace ? derivation_number(trace->value) : std::string();
  const float value_width = text_width(theme.fonts.title, value);
  const CellMark mark = trace ? trace->mark : CellMark::None;
  const LessonLanguage& language = language_of(ui.document.session());
  const auto place_of = [&](bool brief) {
    return marked(cell_place(ui.layer(), cell, ui.counting(), brief, language), mark, language);
  };
  const std::string place = place_of(false);
  // The large picture shows the stage's name too, so it is left out first.
  const std::string brief = place_of(true);
  // Beside the pages of a model the switch for PyTorch is in the menu *View*, until it is on; while a lesson
  // is read, in the menu of the card.
  const bool switches =
      ui.view.model.pages_beside ? state.code.shown : ui.view.offered.shows("inspector.code");
  const float code = switches ? code_switch_width(ui) : 0;
  const float room = width - value_width - code - 3 * theme.px(8);
  push_font(theme.fonts.label);
  const std::string shown = elided(text_width(theme.fonts.label, place) <= room ? place : brief, room);
  ImGui::PopFont();
  text_at(theme.fonts.label, {at.x, std::floor(at.y + (height - font_size(theme.fonts.label)) * 0.7f)},
          theme.quiet_text, shown);
  ui.probe.mark_rect("inspector.place", {at.x, at.y, width - value_width, height}, place);
  if (switches) code_switch(ui, state, {at.x + width - value_width - 2 * theme.px(8) - code, at.y}, height);
  ImGui::SetCursorScreenPos(at);
  if (!trace) return ImGui::Dummy({width, height});
  text_at_right(theme.fonts.title, at.x + width, at.y, theme.accent, value);
  const bool finite = std::isfinite(trace->value);
  const std::string exact = finite ? exact_number_text(trace->value) : number_text(trace->value, 4);
  ImGui::Dummy({width, height});
  ui.probe.mark("inspector.value", exact);
  tooltip(ui, "as float32: " + exact + "\n" + place);
}

void ask_for(UiContext& ui, const CellAddress& cell) {
  ui.requested.traces.push_back(cell);
  if (!is_pair(cell.stage)) return;
  ui.requested.rows.push_back(row_request(cell));
  if (cell.stage != Stage::Weights && cell.stage != Stage::Dropped) return;
  if (stage_exists(ui.layer(), Stage::Masked)) {
    RowRequest logits = row_request(cell);
    logits.stage = Stage::Masked;
    ui.requested.rows.push_back(logits);
  }
}

void draw_cell(UiContext& ui, InspectorState& state, const CellAddress& cell) {
  ask_for(ui, cell);
  // The trace of the selected cell is always requested, so that returning to it shows no gap.
  if (ui.view.selection.cell && *ui.view.selection.cell != cell)
    ui.requested.traces.push_back(*ui.view.selection.cell);
  const auto trace = ui.answer ? ui.answer->find(cell) : nullptr;
  draw_title(ui, state, cell);
  draw_value(ui, state, cell, trace.get());
  if (!trace) return;
  draw_rule(ui);
  // The value stays visible while its derivation scrolls.
  draw_derivation(ui, state, *trace);
}

}  // namespace
}  // namespace inspector

std::string cell_title(const Layer& layer, const CellAddress& cell, Counting counting,
                       const LessonLanguage& language) {
  std::string title = stage_word(language, cell.stage) + "[" +
                      token_name(row_labels(layer, cell.stage), cell.row, counting) + ", ";
  title += (is_pair(cell.stage) ? token_name(layer.key_labels(), cell.column, counting)
                                : counting.number(cell.column)) +
           "]";
  return title;
}

std::string cell_place(const Layer& layer, const CellAddress& cell, Counting counting, bool brief,
                       const LessonLanguage& language) {
  const bool of_head = stage_heads(layer, cell.stage) > 1, of_batch = layer.sequence_count() > 1;
  std::string place = brief && (of_head || of_batch) ? std::string() : stage_word(language, cell.stage);
  const auto add = [&](const std::string& part) { place += (place.empty() ? "" : "  ·  ") + part; };
  if (of_head)
    add(stage_head_name(layer, cell.stage, cell.head, counting, label_text(language, LessonLabel::Head)));
  if (of_batch) add("sequence " + counting.number(cell.sequence));
  return place;
}

float inspector_head_height(const UiContext& ui) {
  const Fonts& fonts = ui.theme.fonts;
  const float spacing = ui.theme.px(4);
  return font_size(fonts.text) + font_size(fonts.title) + spacing + 3 * spacing;  // with the rule
}

void inspector_panel(UiContext& ui, InspectorState& state) {
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {ui.theme.px(8), ui.theme.px(4)});
  inspector::follow_change(ui, state);
  // A cell that is hovered through this panel does not replace the panel's own cell.
  const auto own = std::exchange(state.pointed, std::nullopt);
  const bool elsewhere = ui.view.selection.hovered.last && ui.view.selection.hovered.last != own;
  const std::optional<CellAddress> cell = elsewhere ? ui.view.selection.hovered.last : ui.view.selection.cell;
  state.shown = cell;
  if (ui.view.selection.gradient.last ||
      !ImGui::IsWindowHovered(ImGuiHoveredFlags_ChildWindows |
                              ImGuiHoveredFlags_AllowWhenBlockedByActiveItem))
    state.input = ui.view.selection.gradient.last;
  if (ui.shows_gradients() && state.input && !elsewhere && input_gradient(ui, state.input->input))
    inspector::draw_input_gradient(ui, state, *state.input);
  else if (ui.shows_gradients() && cell && address_exists(ui.layer(), *cell))
    inspector::draw_gradient(ui, state, *cell);
  else if (cell && address_exists(ui.layer(), *cell))
    inspector::draw_cell(ui, state, *cell);
  else
    inspector::draw_highlights(ui, state);
  ImGui::PopStyleVar();
}

}  // namespace headlight
