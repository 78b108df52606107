#include "app/ui/lesson/guess_box.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include <imgui.h>

#include "app/figure/motion/between.h"
#include "app/figure/plan/heatmap_figure.h"
#include "app/platform/imgui_compat.h"
#include "app/ui/lesson/judging.h"
#include "app/ui/lesson/panel_text.h"
#include "app/ui/widgets/marks.h"
#include "app/ui/widgets/text_fit.h"
#include "app/ui/widgets/widgets.h"

namespace headlight {
namespace {

ImVec2 corner(ImVec2 at, double x, double y) {
  return {at.x + static_cast<float>(x), at.y + static_cast<float>(y)};
}

Rect placed(const Rect& rect, ImVec2 at) {
  return {rect.x + double{at.x}, rect.y + double{at.y}, rect.width, rect.height};
}

std::string mark_name(Index row, Index column) {
  return "lesson.mark." + std::to_string(row) + "." + std::to_string(column);
}

// A name in the label font, shortened to the rectangle and centred in it, or at its left edge.
void draw_name(const UiContext& ui, const std::string& name, const Rect& rect, ImVec2 at, Color color,
               bool centred) {
  ImFont* const font = ui.theme.fonts.label;
  push_font(font);
  const std::string fitted = elided(name, static_cast<float>(rect.width));
  ImGui::PopFont();
  const float width = text_width(font, fitted);
  if (width > static_cast<float>(rect.width)) return;  // not even an ellipsis fits
  const double x = rect.x + (centred ? (rect.width - double{width}) / 2 : 0);
  const double y = rect.y + (rect.height - double{font_size(font)}) / 2;
  ImGui::GetWindowDrawList()->AddText(font, font_size(font), corner(at, std::floor(x), std::floor(y)),
                                      to_imgui(color), fitted.c_str());
}

bool is_drawn(const AskedBars& bars, Index bar) {
  return std::find(bars.drawn.begin(), bars.drawn.end(), bar) != bars.drawn.end();
}

std::string bar_name(Index bar) {
  return "lesson.bar." + std::to_string(bar);
}

// The rectangle between a number and zero, or the end of the bar that is nearer to zero.
std::pair<ImVec2, ImVec2> bar_box(const GuessPlan& plan, const Rect& slot, double number, ImVec2 at) {
  const double zero = plan.y_of(0), y = plan.y_of(number);
  return {corner(at, slot.x, std::min(y, zero)),
          corner(at, slot.right(), std::max({y, zero, std::min(y, zero) + 1}))};
}

// The arrow keys on the bar around which the focus ring is. Returns whether its number changed.
bool keys_on_bar(UiContext& ui, const AskedBars& bars, Index bar, float& number) {
  if (ui.view.keyboard.at != bar_name(bar)) return false;
  const auto here = std::find(bars.drawn.begin(), bars.drawn.end(), bar);
  if (key_pressed(Key::Left, true) && here != bars.drawn.begin())
    ui.view.keyboard.next = bar_name(*(here - 1));
  if (key_pressed(Key::Right, true) && here + 1 != bars.drawn.end())
    ui.view.keyboard.next = bar_name(*(here + 1));
  // On multiples of the step, so that the keys reach zero.
  const double step = (bars.high - bars.low) / (shift_held() ? 200 : 50);
  const double before = double{number};
  double after = before;
  if (key_pressed(Key::Up, true)) after = step * std::floor(after / step + 1.001);
  if (key_pressed(Key::Down, true)) after = step * std::ceil(after / step - 1.001);
  if (key_pressed(Key::Home)) after = bars.low;
  if (key_pressed(Key::End)) after = bars.high;
  number = static_cast<float>(std::clamp(after, bars.low, bars.high));
  return after != before;
}

// Takes the mouse and the keys on one bar.
bool move_bar(UiContext& ui, const AskedBars& bars, Index bar, const GuessPlan& plan, float& number,
              ImVec2 at) {
  const Rect& slot = plan.slots[static_cast<std::size_t>(bar)];
  ImGui::SetCursorScreenPos(corner(at, slot.x, slot.y));
  click_area(("##" + bar_name(bar)).c_str(),
             {static_cast<float>(slot.width), static_cast<float>(slot.height)});
  bool changed = false;
  if (ImGui::IsItemActive() && ImGui::IsMouseDown(ImGuiMouseButton_Left)) {
    const auto wanted = static_cast<float>(plan.number_at(double{ImGui::GetIO().MousePos.y} - double{at.y}));
    changed = wanted != number;
    number = wanted;
  }
  if (ImGui::IsItemHovered() || ImGui::IsItemActive()) ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeNS);
  return keys_on_bar(ui, bars, bar, number) || changed;
}

// The bar under the pointer, the one that is dragged, or the one with the keyboard.
bool is_pointed(const UiContext& ui, const Rect& slot, ImVec2 at, Index bar) {
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const Rect there = placed(slot, at);
  const bool over = ImGui::IsWindowHovered(ImGuiHoveredFlags_AllowWhenBlockedByActiveItem) &&
                    double{mouse.x} >= there.x && double{mouse.x} < there.right() &&
                    double{mouse.y} >= there.y && double{mouse.y} < there.bottom();
  return over || ui.view.keyboard.at == bar_name(bar);
}

// The solid bar is the present number, then the right one; the dashed outline is the guess.
void draw_bar(const UiContext& ui, const AskedBars& bars, const ShownGuess& shown, const GuessPlan& plan,
              Index bar, ImVec2 at, GuessPlace place) {
  const Theme& theme = ui.theme;
  const Rect& slot = plan.slots[static_cast<std::size_t>(bar)];
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const double guess = double{shown.guess(0, bar)};
  const bool drawn = is_drawn(bars, bar), answered = shown.truth.size() > 0;
  const bool known = answered && std::isfinite(shown.truth(0, bar));
  const double now = known ? between(guess, double{shown.truth(0, bar)}, shown.filled) : guess;
  if (place == GuessPlace::Box)
    list.AddRectFilled(corner(at, slot.x, slot.y), corner(at, slot.right(), slot.bottom()),
                       to_imgui(theme.panel), theme.px(2));
  if (!drawn || known) {
    const auto [a, b] = bar_box(plan, slot, now, at);
    list.AddRectFilled(a, b, to_imgui(drawn ? theme.link : theme.quiet_text, drawn ? 1.0 : 0.6), theme.px(2));
  }
  if (!drawn) return;
  const auto [a, b] = bar_box(plan, slot, guess, at);
  if (!known) list.AddRectFilled(a, b, to_imgui(theme.text, 0.15), theme.px(2));
  draw_mark(ui, Mark::Supposed, a, b);
}

// Above the bar in the large picture, which has the room: the number that it stands at.
void draw_bar_number(const UiContext& ui, const ShownGuess& shown, const GuessPlan& plan, Index bar,
                     ImVec2 at) {
  const bool answered = shown.truth.size() > 0;
  const double guess = double{shown.guess(0, bar)},
               end = answered ? between(guess, double{shown.truth(0, bar)}, shown.filled) : guess;
  if (!std::isfinite(end)) return;
  ImFont* const font = ui.theme.fonts.number;
  const std::string text = number_text(static_cast<float>(end), 2);
  const Rect& slot = plan.slots[static_cast<std::size_t>(bar)];
  const float wide = text_width(font, text);
  if (double{wide} > slot.width) return;
  const double x = slot.x + (slot.width - double{wide}) / 2;
  const double top = std::min({plan.y_of(guess), plan.y_of(end), plan.y_of(0)});
  ImGui::GetWindowDrawList()->AddText(
      font, font_size(font), corner(at, std::floor(x), std::floor(top - 1.3 * double{font_size(font)})),
      to_imgui(answered ? ui.theme.text : ui.theme.quiet_text), text.c_str());
}

std::string bar_value(const ShownGuess& shown, Index bar) {
  const std::string guess = number_text(shown.guess(0, bar), 2);
  return shown.truth.size() > 0 ? guess + ", right " + number_text(shown.truth(0, bar), 2) : guess;
}

bool draw_bars(UiContext& ui, const AskedBars& bars, ShownGuess& shown, const GuessPlan& plan, ImVec2 at,
               GuessPlace place) {
  bool changed = false;
  std::optional<Index> pointed;
  for (Index bar = 0; bar < shown.guess.cols(); ++bar) {
    const Rect& slot = plan.slots[static_cast<std::size_t>(bar)];
    if (shown.editable && is_drawn(bars, bar)) {
      changed = move_bar(ui, bars, bar, plan, shown.guess(0, bar), at) || changed;
      ui.probe.mark(bar_name(bar), bar_value(shown, bar));
    } else {
      ui.probe.mark_rect(bar_name(bar), placed(slot, at), bar_value(shown, bar));
    }
    if (is_pointed(ui, slot, at, bar)) pointed = bar;
    draw_bar(ui, bars, shown, plan, bar, at, place);
    if (place == GuessPlace::Picture) draw_bar_number(ui, shown, plan, bar, at);
  }
  const Theme& theme = ui.theme;
  const auto y = static_cast<float>(std::floor(double{at.y} + plan.y_of(0)));
  const Rect &first = plan.slots.front(), &last = plan.slots.back();
  ImGui::GetWindowDrawList()->AddLine({corner(at, first.x, 0).x, y}, {corner(at, last.right(), 0).x, y},
                                      to_imgui(theme.quiet_text), std::max(1.0f, theme.px(1)));
  for (std::size_t i = 0; i < plan.column_names.size() && i < shown.names.columns.size(); ++i)
    draw_name(ui, shown.names.columns[i], plan.column_names[i], at,
              pointed == static_cast<Index>(i) ? theme.text : theme.quiet_text, true);
  if (place == GuessPlace::Picture) return changed;
  const std::string note =
      pointed ? shown.names.columns[static_cast<std::size_t>(*pointed)] + "  " + bar_value(shown, *pointed)
              : number_text(bars.low, 2) + " to " + number_text(bars.high, 2);
  draw_name(ui, note, plan.note, at, pointed ? theme.text : theme.quiet_text, false);
  return changed;
}

// The arrow keys move the focus ring over the grid.
void keys_on_mark(UiContext& ui, Index row, Index column, const Matrix& guess) {
  if (ui.view.keyboard.at != mark_name(row, column)) return;
  const Index down = (key_pressed(Key::Down, true) ? 1 : 0) - (key_pressed(Key::Up, true) ? 1 : 0);
  const Index right = (key_pressed(Key::Right, true) ? 1 : 0) - (key_pressed(Key::Left, true) ? 1 : 0);
  if (down == 0 && right == 0) return;
  ui.view.keyboard.next = mark_name(std::clamp<Index>(row + down, 0, guess.rows() - 1),
                                    std::clamp<Index>(column + right, 0, guess.cols() - 1));
}

std::optional<bool> known_right(const ShownGuess& shown, Index row, Index column) {
  return shown.truth.size() > 0 ? std::optional(shown.truth(row, column) > 0) : std::nullopt;
}

void draw_cell(const UiContext& ui, const ShownGuess& shown, const Rect& slot, Index row, Index column,
               ImVec2 at) {
  const Theme& theme = ui.theme;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const ImVec2 a = corner(at, slot.x, slot.y), b = corner(at, slot.right(), slot.bottom());
  const bool marked = shown.guess(row, column) > 0;
  const std::optional<bool> right = known_right(shown, row, column);
  list.AddRectFilled(a, b, to_imgui(ImGui::IsItemHovered() && shown.editable ? theme.line : theme.panel));
  if (right.value_or(false))
    list.AddRectFilled({a.x, b.y - (b.y - a.y) * static_cast<float>(shown.filled)}, b, to_imgui(theme.link));
  if (marked && shown.editable) list.AddRectFilled(a, b, to_imgui(theme.text, 0.15));
  draw_guessed_mark(ui, marked, right, shown.filled, a, b);
}

// Over a cell of the large picture, whose number stays readable. A cell that is right fills from below: what
// is above is still covered.
void draw_over_cell(const UiContext& ui, const ShownGuess& shown, const Rect& slot, Index row, Index column) {
  const float inset = ui.theme.px(3);
  const ImVec2 low = corner({0, 0}, slot.x, slot.y), high = corner({0, 0}, slot.right(), slot.bottom());
  const ImVec2 a = {low.x + inset, low.y + inset}, b = {high.x - inset, high.y - inset};
  const std::optional<bool> right = known_right(shown, row, column);
  ImDrawList& list = *ImGui::GetWindowDrawList();
  if (shown.editable && ImGui::IsItemHovered())
    list.AddRect(a, b, to_imgui(ui.theme.text, 0.35), ui.theme.px(2));
  if (right.value_or(false) && shown.filled < 1)
    list.AddRectFilled(low, {high.x, high.y - (high.y - low.y) * static_cast<float>(shown.filled)},
                       to_imgui(ui.theme.panel, 0.85));
  const bool whole = right.has_value();  // what is so is drawn at the edge of the cell
  draw_guessed_mark(ui, shown.guess(row, column) > 0, right, shown.filled, whole ? low : a, whole ? high : b);
}

std::string mark_value(const ShownGuess& shown, Index row, Index column) {
  const bool marked = shown.guess(row, column) > 0;
  const std::optional<bool> right = known_right(shown, row, column);
  if (!right) return marked ? "marked" : "";
  return marked ? (*right ? "marked, right" : "marked, wrong") : *right ? "missed" : "";
}

// A name beside or above the grid: a click marks its whole row or column, or unmarks it if it is all marked.
bool line_name(UiContext& ui, ShownGuess& shown, const std::string& probe, const std::string& name,
               const Rect& rect, ImVec2 at, bool of_row, Index line, bool drawn) {
  bool pressed = false;
  if (shown.editable) {
    ImGui::SetCursorScreenPos(corner(at, rect.x, rect.y));
    pressed =
        click_area(("##" + probe).c_str(), {static_cast<float>(rect.width), static_cast<float>(rect.height)});
    ui.probe.mark(probe, name);
    tooltip(ui, of_row ? "Mark the whole row" : "Mark the whole column");
  }
  const bool hot = shown.editable && ImGui::IsItemHovered();
  if (drawn) draw_name(ui, name, rect, at, hot ? ui.theme.text : ui.theme.quiet_text, !of_row);
  if (!pressed) return false;
  if (of_row)
    shown.guess.row(line).setConstant(shown.guess.row(line).minCoeff() > 0 ? 0.0f : 1.0f);
  else
    shown.guess.col(line).setConstant(shown.guess.col(line).minCoeff() > 0 ? 0.0f : 1.0f);
  return true;
}

bool draw_cells(UiContext& ui, ShownGuess& shown, const GuessPlan& plan, ImVec2 at, GuessPlace place) {
  const bool over = place == GuessPlace::Picture;
  bool changed = false;
  for (Index row = 0; row < shown.guess.rows(); ++row)
    changed = line_name(ui, shown, "lesson.mark.row." + std::to_string(row),
                        shown.names.rows[static_cast<std::size_t>(row)],
                        plan.row_names[static_cast<std::size_t>(row)], at, true, row, !over) ||
              changed;
  for (Index column = 0; column < shown.guess.cols(); ++column)
    changed = line_name(ui, shown, "lesson.mark.column." + std::to_string(column),
                        shown.names.columns[static_cast<std::size_t>(column)],
                        plan.column_names[static_cast<std::size_t>(column)], at, false, column, !over) ||
              changed;
  for (Index row = 0; row < shown.guess.rows(); ++row)
    for (Index column = 0; column < shown.guess.cols(); ++column) {
      const Rect& slot = plan.slots[static_cast<std::size_t>(row * shown.guess.cols() + column)];
      const std::string name = mark_name(row, column);
      if (shown.editable) {
        ImGui::SetCursorScreenPos(corner(at, slot.x, slot.y));
        if (click_area(("##" + name).c_str(),
                       {static_cast<float>(slot.width), static_cast<float>(slot.height)})) {
          shown.guess(row, column) = shown.guess(row, column) > 0 ? 0.0f : 1.0f;
          changed = true;
        }
        ui.probe.mark(name, mark_value(shown, row, column));
        keys_on_mark(ui, row, column, shown.guess);
      } else {
        ui.probe.mark_rect(name, placed(slot, at), mark_value(shown, row, column));
      }
      over ? draw_over_cell(ui, shown, slot, row, column) : draw_cell(ui, shown, slot, row, column, at);
    }
  return changed;
}

// A word as a button; the chosen one keeps a dashed outline, and the right one is filled.
bool word_button(UiContext& ui, ShownGuess& shown, const Rect& slot, Index word, ImVec2 at) {
  const Theme& theme = ui.theme;
  const std::string name = "lesson.word." + std::to_string(word);
  const bool chosen = shown.guess(0, word) > 0;
  const bool right = shown.truth.size() > 0 && shown.truth(0, word) > 0;
  const std::string& label = shown.names.columns[static_cast<std::size_t>(word)];
  ImGui::SetCursorScreenPos(corner(at, slot.x, slot.y));
  bool pressed = false;
  const std::string value = (chosen ? "chosen: " : "") + label + (right ? " ✓" : "");
  if (shown.editable) {
    pressed =
        click_area(("##" + name).c_str(), {static_cast<float>(slot.width), static_cast<float>(slot.height)});
    ui.probe.mark(name, value);
  } else {
    ui.probe.mark_rect(name, placed(slot, at), value);
  }
  const bool hot = shown.editable && ImGui::IsItemHovered();
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const ImVec2 a = corner(at, slot.x, slot.y), b = corner(at, slot.right(), slot.bottom());
  list.AddRectFilled(a, b, to_imgui(hot ? theme.line : theme.panel), theme.px(4));
  if (right) {
    const float end = a.x + (b.x - a.x) * static_cast<float>(shown.filled);
    list.AddRectFilled(a, {end, b.y}, to_imgui(theme.link, 0.35), theme.px(4));
    list.AddRect(a, b, to_imgui(theme.link, shown.filled), theme.px(4), 0, std::max(1.0f, theme.px(2)));
  }
  const bool known = shown.truth.size() > 0;
  draw_guessed_mark(ui, chosen, known ? std::optional(right) : std::nullopt, shown.filled, a, b);
  draw_name(ui, label, slot, at, theme.text, true);
  return pressed;
}

bool draw_words(UiContext& ui, ShownGuess& shown, const GuessPlan& plan, ImVec2 at) {
  std::optional<Index> chosen;
  for (Index word = 0; word < shown.guess.cols(); ++word)
    if (word_button(ui, shown, plan.slots[static_cast<std::size_t>(word)], word, at)) chosen = word;
  if (!chosen) return false;
  shown.guess.setZero();
  shown.guess(0, *chosen) = 1;
  return true;
}

// What the reader begins with: the present numbers, where a change makes other ones of them; else the middle.
Matrix first_bars(UiContext& ui, const LessonQuestion& question, const GuessShape& shape) {
  const AskedBars& bars = *question.bars;
  const auto present = live_numbers(ui, bars.list);
  if (!present || std::ssize(*present) != shape.columns) return {};
  Matrix guess(1, shape.columns);
  for (Index bar = 0; bar < shape.columns; ++bar) {
    const double number = (*present)[static_cast<std::size_t>(bar)];
    const bool own = is_drawn(bars, bar) && (!question.change || !std::isfinite(number));
    const double begin = own ? (bars.low + bars.high) / 2 : number;
    guess(0, bar) = static_cast<float>(is_drawn(bars, bar) ? std::clamp(begin, bars.low, bars.high) : begin);
  }
  return guess;
}

// The same, as it was when the question was asked.
Matrix asked_bars(UiContext& ui, LessonGuide& guide, const LessonQuestion& question,
                  const GuessShape& shape) {
  const auto known = guide.first_bars.find(guide.step);
  if (known != guide.first_bars.end() && known->second.cols() == shape.columns) return known->second;
  Matrix bars = first_bars(ui, question, shape);
  if (guide.asked_of.contains(guide.step) && bars.size() > 0) guide.first_bars[guide.step] = bars;
  return bars;
}

}  // namespace

ShownGuess shown_guess(UiContext& ui, LessonGuide& guide, const LessonQuestion& question) {
  ShownGuess shown;
  if (!guess_exists(question, ui.layer())) return shown;
  const GuessShape shape = guess_shape(question, ui.layer());
  const auto fits = [&shape](const Matrix& guess) {
    return guess.rows() == shape.rows && guess.cols() == shape.columns;
  };
  shown.names = guess_names(question, ui.layer(), ui.counting());
  const auto given = guide.answers.find(guide.step);
  if (given != guide.answers.end()) {
    if (!fits(given->second.guess)) return shown;
    shown.guess = given->second.guess;
    if (is_revealed(ui, guide) && given->second.truth && fits(*given->second.truth)) {
      shown.truth = *given->second.truth;
      shown.filled = answer_moment(ui, guide).filled;
    }
    return shown;
  }
  shown.editable = true;
  const auto begun = guide.drafts.find(guide.step);
  if (begun != guide.drafts.end() && fits(begun->second))
    shown.guess = begun->second;
  else if (question.bars)
    shown.guess = asked_bars(ui, guide, question, shape);
  else
    shown.guess = Matrix::Zero(shape.rows, shape.columns);
  return shown;
}

GuessPlan plan_guess(const UiContext& ui, const LessonQuestion& question, const ShownGuess& shown,
                     float width) {
  if (shown.guess.size() == 0) return {};
  ImFont* const font = ui.theme.fonts.label;
  const GuessRoom room = {width, std::floor(font_size(font) + ui.theme.px(3)), ui.theme.px(1)};
  const auto widths = [font](const std::vector<std::string>& names) {
    std::vector<float> all;
    all.reserve(names.size());
    for (const std::string& name : names)
      all.push_back(text_width(font, name));
    return all;
  };
  if (question.bars)
    return plan_bars(static_cast<std::size_t>(shown.guess.cols()), question.bars->low, question.bars->high,
                     room);
  if (question.marks)
    return plan_cells(shown.guess.rows(), shown.guess.cols(), widths(shown.names.rows), room);
  return plan_words(widths(shown.names.columns), room);
}

bool draw_guess(UiContext& ui, const LessonQuestion& question, ShownGuess& shown, const GuessPlan& plan,
                ImVec2 at, GuessPlace place) {
  if (shown.guess.size() == 0 || plan.slots.empty()) return false;
  if (question.word) return draw_words(ui, shown, plan, at);
  return question.bars ? draw_bars(ui, *question.bars, shown, plan, at, place)
                       : draw_cells(ui, shown, plan, at, place);
}

void draw_guessed_mark(const UiContext& ui, bool guessed, std::optional<bool> right, double filled,
                       ImVec2 low, ImVec2 high) {
  if (guessed && !(right && filled >= 1)) draw_mark(ui, Mark::Supposed, low, high, right ? 1 - filled : 1);
  const auto outcome = right ? outcome_mark(guessed, *right) : std::nullopt;
  if (outcome) draw_mark(ui, *outcome, low, high, filled);
}

bool chooses_row(const LessonQuestion& question) {
  return references_of(question.word->list.pieces()).front().every_row;
}

std::string guess_note(const UiContext& ui, const LessonQuestion& question, const ShownGuess& shown) {
  if (shown.guess.size() == 0) return {};
  if (shown.editable)
    return label_text(ui, question.bars           ? LessonLabel::DragBars
                          : question.marks        ? LessonLabel::MarkCells
                          : chooses_row(question) ? LessonLabel::ChooseWordByRow
                                                  : LessonLabel::ChooseWord);
  return label_text(ui, LessonLabel::YouGuessed) + (question.bars ? " " : ": ") +
         localized(lesson_language(ui), guess_words(question, shown.guess, shown.names)) + ".";
}

}  // namespace headlight
