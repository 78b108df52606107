// Draws the planned lines of a derivation.
#include <algorithm>
#include <cmath>
#include <utility>

#include "app/platform/imgui_compat.h"
#include "app/ui/context/score_question.h"
#include "app/ui/inspector/inspector_parts.h"
#include "app/ui/widgets/widgets.h"

namespace headlight::inspector {
namespace {

// The arguments common to all lines.
struct Lines {
  UiContext& ui;
  InspectorState& state;
  const Derivation& derivation;
  const DerivationPlan& plan;
  ImVec2 origin;
  float width;
};

std::string step_name(const DerivationStep& step) {
  return "inspector.step." + step.id;
}

std::string line_name(const DerivationStep& step, const std::string& label) {
  return "inspector.step." + std::string(stage_info(step.stage).name) + "." + label;
}

float step_box(const Theme& theme) {
  return std::floor(theme.px(20));
}

float indent(const Theme& theme) {
  return theme.px(20);
}

void draw_triangle(const UiContext& ui, ImVec2 middle, bool open, bool bright) {
  const float r = ui.theme.px(3.5f);
  const ImU32 color = to_imgui(bright ? ui.theme.text : ui.theme.quiet_text);
  ImDrawList& list = *ImGui::GetWindowDrawList();
  if (open)
    list.AddTriangleFilled({middle.x - r, middle.y - r / 2}, {middle.x + r, middle.y - r / 2},
                           {middle.x, middle.y + r}, color);
  else
    list.AddTriangleFilled({middle.x - r / 2, middle.y - r}, {middle.x - r / 2, middle.y + r},
                           {middle.x + r, middle.y}, color);
}

// Draws a number that ends at `right`; if it has a source, it can be hovered and clicked.
void draw_number(const Lines& lines, const DerivationNumber& number, const std::string& name, ImFont* font,
                 float right, float y, float height) {
  UiContext& ui = lines.ui;
  const float width = text_width(font, number.text), left = std::floor(right - width);
  const float text_y = std::floor(y + (height - font_size(font)) / 2);
  bool hot = false;
  if (!number.source.empty() && width > 0) {
    ImGui::SetCursorScreenPos({left, y});
    const bool pressed = click_area(name.c_str(), {width, height});
    ui.probe.mark(name, number.text);
    hot = ImGui::IsItemHovered();
    offer_source(ui, lines.state, number.source, pressed);
  }
  text_at_right(font, right, text_y, hot ? ui.theme.link : ui.theme.text, number.text);
  const float under = text_y + font_size(font);
  if (hot)
    ImGui::GetWindowDrawList()->AddLine({left, under}, {right, under}, to_imgui(ui.theme.link),
                                        std::max(1.0f, ui.theme.px(1)));
}

// Draws the background of a line that unfolds. Returns whether it was clicked, except for a width of `free`
// at the right end.
bool draw_fold(const Lines& lines, const std::string& name, float y, bool folds, bool open, float free) {
  const Theme& theme = lines.ui.theme;
  const ImVec2 at = {lines.origin.x, y}, size = {lines.width, step_box(theme)};
  bool pressed = false, hot = false;
  if (folds) {
    ImGui::SetCursorScreenPos(at);
    pressed = click_area((name + ".fold").c_str(), {size.x - free, size.y});
    lines.ui.probe.mark(name + ".fold", open ? "open" : "");
    hot = ImGui::IsItemHovered();
  }
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.AddRectFilled(at, {at.x + size.x, at.y + size.y}, to_imgui(theme.raised), theme.px(4));
  if (hot)
    list.AddRect(at, {at.x + size.x, at.y + size.y}, to_imgui(theme.line), theme.px(4), 0,
                 std::max(1.0f, theme.px(1)));
  if (folds) draw_triangle(lines.ui, {at.x + theme.px(10), at.y + size.y / 2}, open, hot);
  return pressed;
}

// The link at a score that asks for its parts, as long as there is room for it; "" elsewhere.
std::string why_label(const Lines& lines, const DerivationStep& step, float room) {
  const UiContext& ui = lines.ui;
  const auto& cell = lines.state.shown;
  const bool asks = step.stage == Stage::Scores && ui.view.model.pages_beside && cell;
  if (!asks || ui.shows_gradients() || !has_score_question(ui, *cell)) return "";
  for (const char* label : {"Why this score?", "Why?"})
    if (text_width(ui.theme.fonts.label, label) <= room) return label;
  return "";
}

void draw_why(const Lines& lines, const std::string& name, const std::string& label, ImVec2 at) {
  UiContext& ui = lines.ui;
  const CellAddress cell = *lines.state.shown;
  ImFont* const font = ui.theme.fonts.label;
  const std::string why_not = why_no_score_parts(ui, cell);
  const float box = step_box(ui.theme);
  ImGui::SetCursorScreenPos(at);
  ImGui::BeginDisabled(!why_not.empty());
  if (click_area(name.c_str(), {text_width(font, label), box})) ask_score_parts(ui, cell);
  ui.probe.mark(name, label, why_not.empty());
  ImGui::EndDisabled();
  tooltip(ui, why_not.empty() ? "The parts of the query and of the key that this score comes from" : why_not);
  const bool hot = why_not.empty() && ImGui::IsItemHovered();
  const Color color = !why_not.empty() ? ui.theme.quiet_text : hot ? ui.theme.text : ui.theme.link;
  text_at(font, {at.x, std::floor(at.y + (box - font_size(font)) / 2)}, color, label);
}

void draw_step(const Lines& lines, const StepLine& line, float y) {
  UiContext& ui = lines.ui;
  const Theme& theme = ui.theme;
  const DerivationStep& step = lines.derivation.steps[line.step];
  const bool open = lines.plan.open[line.step];
  const std::string name = step_name(step);
  const float box = step_box(theme), pad = theme.px(8);
  const float number_width = text_width(theme.fonts.number, step.value.text);
  const float formula_room = lines.width - indent(theme) - number_width - 2 * pad;
  const float formula_width = std::min(text_width(theme.fonts.label, step.formula), formula_room);
  const std::string why = why_label(lines, step, formula_room - formula_width - 2 * pad);
  const float why_width = why.empty() ? 0 : text_width(theme.fonts.label, why) + pad;
  const float free = step.value.source.empty() && why.empty() ? 0 : number_width + pad + why_width;
  if (draw_fold(lines, name, y, step.folds(), open, free))
    lines.state.folds[step.id] = open ? Fold::Closed : Fold::Open;
  const float left = lines.origin.x + indent(theme);
  push_font(theme.fonts.label);
  const std::string formula = elided(step.formula, formula_room - why_width);
  ImGui::PopFont();
  text_at(theme.fonts.label, {left, std::floor(y + (box - font_size(theme.fonts.label)) / 2)}, theme.text,
          formula);
  const float right = lines.origin.x + lines.width - pad;
  if (!why.empty()) draw_why(lines, name + ".why", why, {std::floor(right - number_width - why_width), y});
  draw_number(lines, step.value, name + ".value", theme.fonts.number, right, y, box);
  const Rect rect = {lines.origin.x, y, lines.width, box};
  ui.probe.mark_rect(name, rect, step.value.text);
  if (!step.result.empty()) ui.probe.mark_rect(line_name(step, step.result), rect, step.value.text);
}

void draw_plain(const Lines& lines, const DerivationStep& step, const DerivationLine& line, float y,
                float height) {
  const Theme& theme = lines.ui.theme;
  const float right = lines.origin.x + lines.width - theme.px(8);
  const std::string name = line_name(step, line.label);
  const float left = lines.origin.x + indent(theme);
  const float number_width = text_width(theme.fonts.cell, line.number.text) + theme.px(8);
  draw_labelled(lines.ui, {left, y}, {right - left - number_width, height}, theme.quiet_text, line.label, "");
  draw_number(lines, line.number, name + ".source", theme.fonts.cell, right, y, height);
  lines.ui.probe.mark_rect(name, {left, y, right - left, height}, line.number.text);
}

// In a narrow panel the tokens' labels go before the expressions whose values stand behind them, all of them.
bool has_room_for_left(const Lines& lines, const DerivationStep& step, float room) {
  const Fonts& fonts = lines.ui.theme.fonts;
  return std::all_of(step.terms.begin(), step.terms.end(), [&](const DerivationTerm& term) {
    const float label = std::min(text_width(fonts.label, term.label), lines.ui.theme.px(64));
    return label + text_width(fonts.cell, term.left.text) + lines.ui.theme.px(8) <= room;
  });
}

// The width of the step's widest number, such as "−3.7e−04"; an exponential may be as wide as "1.1420e+26".
float number_width(ImFont* font, const DerivationStep& step) {
  float width = text_width(font, "−0.0000");
  const auto widen = [&](const std::string& text) { width = std::max(width, text_width(font, text)); };
  for (const DerivationTerm& term : step.terms) {
    widen(term.right.text.empty() ? derivation_number(term.product) : term.left.text);
    widen(term.right.text);
  }
  return width;
}

// What is cut, or left out for want of room, is told where the name is pointed at.
void full_label(UiContext& ui, const std::string& name, ImVec2 at, ImVec2 size, const std::string& label) {
  ImGui::SetCursorScreenPos(at);
  ImGui::Dummy({std::max(1.0f, size.x), size.y});
  tooltip(ui, label);
  ui.probe.mark(name + ".name", label);
}

// "journey (1)   0.4776 × 0.1196   0.0571"; a single summand is in the last column.
void draw_term(const Lines& lines, const StepLine& line, float y) {
  const Theme& theme = lines.ui.theme;
  const Fonts& fonts = theme.fonts;
  const DerivationStep& step = lines.derivation.steps[line.step];
  const DerivationTerm& term = step.terms[line.item];
  const std::string name = step_name(step) + ".term." + std::to_string(line.item);
  const std::string product = derivation_number(term.product);
  const float left = lines.origin.x + indent(theme), right = lines.origin.x + lines.width - theme.px(8);
  ImFont* const font = fonts.cell;  // smaller, to leave space for the term's label
  const bool alone = term.right.text.empty();
  const float height = line.height;
  const float column = number_width(font, step) + theme.px(alone ? 8 : 7);
  float label_end = right - column;
  std::string told = term.label;
  if (!alone) {
    const float times = theme.px(6);
    draw_number(lines, term.right, name + ".right", font, right - column, y, height);
    text_at(fonts.label,
            {right - 2 * column - theme.px(4), std::floor(y + (height - font_size(fonts.label)) / 2)},
            theme.quiet_text, "×");
    draw_number(lines, term.left, name + ".left", font, right - 2 * column - times, y, height);
    label_end = right - 3 * column - times;
  } else if (term.left.text != product && has_room_for_left(lines, step, label_end - left)) {
    draw_number(lines, term.left, name + ".left", font, right - column, y, height);
    label_end -= text_width(font, term.left.text) + theme.px(8);
  } else if (term.left.text != product) {
    told += ": " + term.left.text;
  }
  push_font(fonts.label);
  const std::string label = elided(term.label, label_end - left);
  ImGui::PopFont();
  const bool largest = largest_term(step) == line.item;
  const float number_y = std::floor(y + (height - font_size(font)) / 2);
  text_at(fonts.label, {left, std::floor(y + (height - font_size(fonts.label)) / 2)},
          term.own  ? theme.accent
          : largest ? theme.text
                    : theme.quiet_text,
          label);
  text_at_right(font, right, number_y, largest ? theme.text : theme.quiet_text, product);
  const Rect rect = {left, y, right - left, height};
  if (label != told) full_label(lines.ui, name, {left, y}, {label_end - left, height}, told);
  lines.ui.probe.mark_rect(name, rect, product);
  if (largest) lines.ui.probe.mark_rect(step_name(step) + ".largest", rect, term.label);
  if (alone) lines.ui.probe.mark_rect(line_name(step, term.label), rect, product);
}

void draw_more(const Lines& lines, const StepLine& line, float y) {
  const Theme& theme = lines.ui.theme;
  const DerivationStep& step = lines.derivation.steps[line.step];
  const float left = lines.origin.x + indent(theme), right = lines.origin.x + lines.width - theme.px(8);
  const std::string name = step_name(step) + ".more";
  ImGui::SetCursorScreenPos({left, y});
  if (click_area(name.c_str(), {right - left, line.height})) lines.state.folds[step.id] = Fold::Whole;
  const std::string sum = derivation_number(line.sum);
  lines.ui.probe.mark(name, sum);
  tooltip(lines.ui, "Show all terms");
  ImFont* const font = theme.fonts.cell;
  draw_labelled(lines.ui, {left, y}, {right - left - text_width(font, sum), line.height},
                ImGui::IsItemHovered() ? theme.text : theme.link,
                "and " + std::to_string(line.item) + " more, together", "");
  text_at_right(font, right, std::floor(y + (line.height - font_size(font)) / 2), theme.text, sum);
}

void draw_note(const Lines& lines, const std::string& note, float y) {
  ImFont* const font = lines.ui.theme.fonts.label;
  const float left = lines.origin.x + indent(lines.ui.theme);
  ImGui::GetWindowDrawList()->AddText(font, font_size(font), {left, y + lines.ui.theme.px(2)},
                                      to_imgui(lines.ui.theme.quiet_text), note.c_str(), nullptr,
                                      lines.origin.x + lines.width - left);
}

void draw_row_line(const Lines& lines, const RowSummary& row, float y) {
  const Theme& theme = lines.ui.theme;
  const bool open = lines.plan.row_open;
  // The sum of the finite cells; NaN if a weight is NaN.
  const std::string name = "inspector.row",
                    sum = derivation_number(std::isnan(row.entropy_bits) ? row.entropy_bits : row.sum);
  if (draw_fold(lines, name, y, true, open, 0)) lines.state.folds[kRowId] = open ? Fold::Closed : Fold::Open;
  const float left = lines.origin.x + indent(theme), width = lines.width - indent(theme) - theme.px(8);
  const bool weights = row.request.stage == Stage::Weights;
  const std::string total = weights ? "Σ " + sum : "", begin = "row of ";
  const float taken = text_width(theme.fonts.label, begin) + text_width(theme.fonts.number, total);
  push_font(theme.fonts.label);
  const std::string token = fitting_token_name(lines.ui.layer().tokens, row.request.row, lines.ui.counting(),
                                               width - taken - theme.px(8));
  ImGui::PopFont();
  draw_labelled(lines.ui, {left, y}, {width, step_box(theme)}, theme.text, begin + token, total);
  lines.ui.probe.mark_rect(name, {lines.origin.x, y, lines.width, step_box(theme)}, sum);
}

void draw_line(const Lines& lines, const StepLine& line, const RowSummary* row, Index column) {
  const float y = std::floor(lines.origin.y + line.y);
  const DerivationStep& step = lines.derivation.steps[line.step];
  switch (line.kind) {
    case StepLine::Kind::Step:
      return draw_step(lines, line, y);
    case StepLine::Kind::Code:
      return draw_code(lines.ui, step_name(step) + ".code", step.code,
                       {lines.origin.x + indent(lines.ui.theme), y},
                       lines.width - indent(lines.ui.theme) - lines.ui.theme.px(8));
    case StepLine::Kind::Before:
      return draw_plain(lines, step, step.before[line.item], y, line.height);
    case StepLine::Kind::After:
      return draw_plain(lines, step, step.after[line.item], y, line.height);
    case StepLine::Kind::Term:
      return draw_term(lines, line, y);
    case StepLine::Kind::More:
      return draw_more(lines, line, y);
    case StepLine::Kind::Note:
      return draw_note(lines, step.note, y);
    case StepLine::Kind::Row:
      return draw_row_line(lines, *row, y);
    case StepLine::Kind::Bars:
      return draw_row_bars(lines.ui, *row, column, {lines.origin.x, y}, lines.width);
  }
}

DerivationSizes line_sizes(const UiContext& ui, const RowSummary* row, float width) {
  const Theme& theme = ui.theme;
  DerivationSizes sizes;
  sizes.step = step_box(theme) + std::floor(theme.px(4));
  sizes.line = std::floor(font_size(theme.fonts.number) + theme.px(3));
  sizes.gap = std::floor(theme.px(4));
  sizes.row = row ? row_bars_height(ui, *row) : 0;
  sizes.note = [&ui, width](const std::string& note) {
    push_font(ui.theme.fonts.label);
    const float height = ImGui::CalcTextSize(note.c_str(), nullptr, false, width - indent(ui.theme)).y;
    ImGui::PopFont();
    return std::ceil(height + ui.theme.px(8));
  };
  sizes.code = [&ui, width](const std::string& code) {
    return code_height(ui, code, width - indent(ui.theme) - ui.theme.px(8));
  };
  return sizes;
}

// Whether a line at `y` is drawn in a region from `top` to `bottom`: not if the edge would cut off a part of
// its text. What may be higher than the region is drawn in part.
bool is_in_sight(const UiContext& ui, const StepLine& line, float y, float top, float bottom) {
  using Kind = StepLine::Kind;
  const float end = y + line.height, gap = ui.theme.px(4);  // below a step's own line
  if (line.kind == Kind::Bars || line.kind == Kind::Note || line.kind == Kind::Code)
    return end >= top && y <= bottom;
  return y >= top - 1 && end <= bottom + gap;
}

// Begins at the top, unless the last step, which computes the value, would be out of sight: then with that
// one as the first line. Returns the height of the contents that this takes.
float bring_last_step(InspectorState& state, const CellAddress& cell, const DerivationPlan& plan,
                      float room) {
  const StepLine* last = nullptr;
  for (const StepLine& line : plan.lines)
    if (line.kind == StepLine::Kind::Step) last = &line;
  const bool hidden = last && last->y + last->height > room;
  const float y = hidden ? last->y : 0, height = hidden ? std::max(plan.height, y + room) : plan.height;
  if (state.brought == cell && state.brought_room == room) return height;
  state.brought = cell;
  state.brought_room = room;
  ImGui::SetScrollY(y);
  return height;
}

}  // namespace

RowRequest row_request(const CellAddress& cell) {
  return {cell.stage, cell.sequence, cell.head, cell.row, 256};
}

void draw_derivation(UiContext& ui, InspectorState& state, const CellTrace& trace) {
  const auto find_row = [&](Stage stage) {
    RowRequest request = row_request(trace.cell);
    request.stage = stage;
    return is_pair(trace.cell.stage) ? ui.answer->find(request) : nullptr;
  };
  const auto row = find_row(trace.cell.stage), logits = find_row(Stage::Masked);
  Derivation derived = derivation(ui.layer(), trace, ui.counting(), logits.get());
  add_code(ui, state, derived, trace.cell.stage);
  // Beside the pages of a model the text's line has the shares of the whole row.
  const bool repeated = ui.view.model.pages_beside && trace.cell.stage == Stage::Weights;
  draw_steps(ui, state, derived, trace.cell, repeated ? nullptr : row.get());
}

void draw_steps(UiContext& ui, InspectorState& state, const Derivation& derived, const CellAddress& cell,
                const RowSummary* row) {
  const ImVec2 room = ImGui::GetContentRegionAvail();
  if (begin_child("derivation", room, false, ImGuiWindowFlags_NoBackground)) {
    const ImVec2 origin = ImGui::GetCursorScreenPos();
    const float width = ImGui::GetContentRegionAvail().x;
    const DerivationPlan plan = plan_derivation(derived, state.folds, line_sizes(ui, row, width), room.y - 1);
    state.derivation_px =
        plan_derivation(derived, state.folds, line_sizes(ui, row, width), ui.theme.px(kUsualDerivation))
            .height;
    const float height = bring_last_step(state, cell, plan, room.y);
    const Lines lines = {ui, state, derived, plan, origin, width};
    const float top = ImGui::GetWindowPos().y, bottom = top + ImGui::GetWindowHeight();
    for (const StepLine& line : plan.lines)
      if (is_in_sight(ui, line, origin.y + line.y, top, bottom)) draw_line(lines, line, row, cell.column);
    ImGui::SetCursorScreenPos(origin);
    ImGui::Dummy({width, height});
    if (state.code.shown && !ui.shows_gradients()) copy_switch(ui, cell.stage);
    draw_changes(ui, state);
  }
  ImGui::EndChild();
}

}  // namespace headlight::inspector
