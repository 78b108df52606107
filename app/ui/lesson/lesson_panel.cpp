#include "app/ui/lesson/lesson_panel.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <tuple>
#include <utility>

#include <imgui.h>

#include "app/figure/plan/heatmap_figure.h"
#include "app/platform/imgui_compat.h"
#include "app/ui/lesson/lesson_steps_bar.h"
#include "app/ui/widgets/text_fit.h"
#include "app/ui/widgets/widgets.h"

namespace headlight {
namespace {

constexpr float kPanelPad = 12;  // planned pixels from the panel's edge to its text

std::string trouble_words(const LessonGuide& guide) {
  return "This step's settings do not fit your changes: " + guide.trouble + ".";
}

std::string departure_words(const LessonGuide& guide) {
  return guide.departure == Departure::Inputs ? "You changed numbers since this lesson began."
                                              : "You changed the settings since this lesson began.";
}

bool has_departed(const LessonGuide& guide) {
  return !guide.walk && guide.opened && (guide.departure != Departure::None || !guide.trouble.empty());
}

std::string heading_of(const UiContext& ui, const LessonPanelState& state) {
  const LessonGuide& guide = state.guide;
  if (guide.walk)
    return "Step through: " + token_name(ui.model().tokens, guide.walk->query.row, ui.counting());
  if (has_departed(guide) && guide.trouble.empty()) return departure_words(guide);
  const auto& lesson = ui.document.session().lesson;
  if (!lesson || lesson->chapter.empty()) return "Notes";
  if (const LessonEntry* entry = entry_of(ui.document.session(), state.entries))
    return "Lesson " + number_of(*entry) + "  ·  " + lesson->chapter;
  return lesson->chapter;
}

// The control that restores the lesson's own numbers, with its right end at `end`. Returns its left end.
float draw_restore(UiContext& ui, LessonPanelState& state, ImVec2 end) {
  ImFont* const font = ui.theme.fonts.label;
  const float width = text_width(font, "Restore");
  const ImVec2 at = {std::floor(end.x - width), end.y};
  ImGui::SetCursorScreenPos(at);
  if (click_area("lesson.restore", {width, font_size(font)})) restore_lesson(ui, state.guide);
  ui.probe.mark("lesson.restore", "Restore");
  ImGui::GetWindowDrawList()->AddText(
      font, font_size(font), at, to_imgui(ImGui::IsItemHovered() ? ui.theme.text : ui.theme.link), "Restore");
  tooltip(ui, "Bring the lesson's own inputs and settings back; undo takes that back");
  return at.x;
}

void draw_header(UiContext& ui, LessonPanelState& state, const LessonPanelPlan& plan, ImVec2 at) {
  const std::string fold = state.presented ? "" : plan.folded ? "Show" : "Hide";
  ImFont* const font = ui.theme.fonts.label;
  const float fold_width = text_width(font, fold);
  const std::size_t count = step_count(ui, state.guide);
  const std::string step =
      count > 0 ? std::to_string(shown_step_index(state.guide) + 1) + " of " + std::to_string(count) : "";
  const float step_width = text_width(font, step);
  const float step_x = at.x + plan.width - step_width - (fold.empty() ? 0 : fold_width + ui.theme.px(12));
  float end = step_x - ui.theme.px(12);
  if (has_departed(state.guide) && !plan.folded) end = draw_restore(ui, state, {end, at.y}) - ui.theme.px(8);
  ImGui::SetCursorScreenPos(at);
  push_font(font);
  label_text(ui, elided(plan.heading, end - at.x), ui.theme.quiet_text);
  if (has_departed(state.guide) && state.guide.trouble.empty())
    ui.probe.mark_rect("lesson.departure", {at.x, at.y, end - at.x, font_size(font)}, plan.heading);
  const auto& lesson = ui.document.session().lesson;
  const std::string source = lesson && !lesson->source.empty() ? "\nAfter " + lesson->source : "";
  tooltip(ui, plan.heading + source);
  if (count > 0 && !plan.folded) {
    ImGui::GetWindowDrawList()->AddText({step_x, at.y}, to_imgui(ui.theme.quiet_text), step.c_str());
    ui.probe.mark_rect("lesson.step", {step_x, at.y, step_width, font_size(font)}, step);
  }
  if (!state.guide.walk && !fold.empty()) {
    ImGui::SetCursorScreenPos({at.x + plan.width - fold_width, at.y});
    if (click_area("fold", {fold_width, font_size(font)})) {
      state.show_notes = !state.show_notes;
      state.guide.lit = state.guide.lit && state.show_notes;
    }
    ui.probe.mark("notes.fold", fold);
    ImGui::GetWindowDrawList()->AddText({at.x + plan.width - fold_width, at.y},
                                        to_imgui(ImGui::IsItemHovered() ? ui.theme.text : ui.theme.link),
                                        fold.c_str());
  }
  ImGui::PopFont();
}

std::string shown_notes(const UiContext& ui) {
  std::string notes = ui.document.session().notes;
  if (const auto& lesson = ui.document.session().lesson; lesson && lesson->variation_of)
    notes += (notes.empty() ? "" : " ") + variation_words(*lesson->variation_of);
  return notes;
}

// In the wide form the text has a readable width, and the question the rest of the panel.
void place_columns(const Theme& theme, LessonPanelPlan& plan) {
  constexpr float kLeastColumn = 300, kMostText = 560, kTextShare = 0.52f, kGap = 24;  // planned pixels
  plan.text_width = plan.question_width = plan.width;
  if (plan.form == LessonForm::Narrow || plan.width < theme.px(2 * kLeastColumn + kGap)) {
    plan.form = LessonForm::Narrow;
    return;
  }
  plan.text_width = std::floor(std::min(plan.width * kTextShare, theme.px(kMostText)));
  plan.question_x = plan.text_width + theme.px(kGap);
  plan.question_width = std::min(plan.width - plan.question_x, theme.px(kMostText));
}

// The height of the highest title of all steps, so that the texts below begin at one place.
float highest_title(const UiContext& ui, const LessonGuide& guide, const LessonPanelPlan& plan) {
  float highest = plan.title.plan.height;
  const std::vector<LessonStep>& steps = guide.walk ? guide.walk->steps : ui.document.session().lesson->steps;
  for (const LessonStep& step : steps) {
    if (text_width(ui.theme.fonts.title, step.title) <= plan.text_width) continue;
    PanelText title;
    float y = 0;
    set_text(ui, title, plain_words(step.title), ui.theme.fonts.title, plan.text_width, y);
    highest = std::max(highest, y);
  }
  return highest;
}

// The session's notes: below the first step, whose text is thus visible without scrolling, or beside it where
// nothing else stands there. `y`: the end of the text.
void plan_intro(const UiContext& ui, const LessonGuide& guide, LessonPanelPlan& plan, float& y) {
  const std::string notes = shown_notes(ui);
  if (guide.walk || shown_step_index(guide) > 0 || notes.empty()) return;
  const bool beside = plan.form == LessonForm::Wide && plan.question_end == 0 && y > 0;
  plan.intro_x = beside ? plan.question_x : 0;
  float end = beside ? 0 : y;
  if (!beside && y > 0) end += ui.theme.px(12);
  set_text(ui, plan.intro, plain_words(notes), ui.theme.fonts.text,
           beside ? plan.question_width : plan.text_width, end);
  (beside ? plan.question_end : y) = end;
}

// Plans the question box below the text, which ends at `y`, or beside it from the top.
void plan_beside_or_below(UiContext& ui, LessonGuide& guide, LessonPanelPlan& plan, float& y) {
  const float gap = ui.theme.px(10);  // above every box
  float end = plan.form == LessonForm::Wide ? -gap : y;
  plan.question = plan_question(ui, guide, plan.question_width, end);
  plan.question_end = plan.question.height > 0 ? end : 0;
  if (plan.form == LessonForm::Narrow) y = end;
}

// The number of words in a piece of a text. Punctuation next to a live number is a piece of its own.
int words_in(const std::string& text) {
  int words = 0;
  bool counted = false;
  for (const char letter : text) {
    const bool blank = letter == ' ' || letter == '\n';
    if (!blank && !counted && std::isalnum(static_cast<unsigned char>(letter))) {
      ++words;
      counted = true;
    }
    if (blank) counted = false;
  }
  return words;
}

// What of the body is free of text, for a panel at `at` whose body is not scrolled.
std::vector<Rect> free_parts(const Theme& theme, const LessonPanelPlan& plan, ImVec2 at, float room) {
  const double gap = theme.px(12), top = at.y + plan.header, bottom = top + room;
  std::vector<Rect> parts;
  const auto add = [&](double x, double width, double end) {
    const double y = end > 0 ? top + end + gap : top;
    if (bottom > y) parts.push_back({x, y, width, bottom - y});
  };
  if (plan.form == LessonForm::Wide)
    add(at.x + plan.question_x, plan.width - plan.question_x, plan.question_end);
  add(at.x, plan.text_width, plan.text_end);
  return parts;
}

void draw_trouble(UiContext& ui, const LessonPanelPlan& plan, ImVec2 at) {
  if (plan.trouble.empty()) return;
  draw_text(ui, plan.trouble, ui.theme.fonts.text, ui.theme.quiet_text, at, "");
  mark_text(ui, "lesson.departure", plan.trouble, at, plan.text_width);
}

void draw_body(UiContext& ui, LessonPanelState& state, const LessonPanelPlan& plan) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const Theme& theme = ui.theme;
  draw_trouble(ui, plan, at);
  draw_text(ui, plan.intro, theme.fonts.text, theme.quiet_text, {at.x + plan.intro_x, at.y}, "");
  draw_text(ui, plan.title, theme.fonts.title, theme.text, at, "");
  mark_text(ui, "lesson.title", plan.title, at, plan.text_width);
  draw_text(ui, plan.text, theme.fonts.text, theme.text, at, "lesson.quote.");
  mark_text(ui, "lesson.text", plan.text, at, plan.text_width);
  question_box(ui, state.guide, plan.question, {at.x + plan.question_x, at.y}, plan.question_width);
  explain_term(ui);
  ImGui::SetCursorScreenPos(at);
  ImGui::Dummy({plan.width, plan.body});
}

// Draws the body into a height of `room`; it scrolls if it is higher.
void draw_scrolled_body(UiContext& ui, LessonPanelState& state, const LessonPanelPlan& plan, float room) {
  const bool scrolls = plan.body > room + 1;  // not for rounding differences
  const auto flags = ImGuiWindowFlags_NoBackground |
                     (scrolls ? 0 : ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse);
  const std::string shown = plain_text(plan.title.runs);
  LessonPanelPlan narrower;  // beside the scrollbar
  if (begin_child("lesson body", {0, std::max(1.0f, scrolls ? room : plan.body)}, false, flags)) {
    if (shown != state.guide.read) ImGui::SetScrollY(0);
    // The end of the box that was answered in, or its beginning, with the reply, if it is higher than the
    // panel.
    if (std::exchange(state.guide.shows_end, false))
      ImGui::SetScrollY(std::min(plan.question.y, plan.question.y + plan.question.height - room));
    const float width = ImGui::GetContentRegionAvail().x - ui.theme.px(4);
    if (scrolls) narrower = plan_lesson_panel(ui, state, width, plan.form);
    const LessonPanelPlan& drawn = scrolls ? narrower : plan;
    draw_body(ui, state, drawn);
    const float top = ImGui::GetScrollY();
    std::tie(state.sight.words, state.sight.in_sight) =
        count_words(ui.theme, drawn, top, top + (scrolls ? room : drawn.body + 1));
  }
  ImGui::EndChild();
  state.guide.read = shown;
}

constexpr float kUnlimited = 1e9f;

float measured_highest_text(UiContext& ui, const LessonPanelState& state, float width) {
  const LessonGuide& guide = state.guide;
  const auto& lesson = ui.document.session().lesson;
  if (!lesson) return kUnlimited;
  LessonPanelPlan plan;
  plan.width = width;
  plan.form = LessonForm::Wide;
  place_columns(ui.theme, plan);
  float highest = 0;
  for (const LessonStep& step : lesson->steps) {
    if (step.question || !step.try_it.empty()) return kUnlimited;
    PanelText text;
    float y = highest_title(ui, guide, plan) + ui.theme.px(4);
    set_text(ui, text, step_text(ui, guide, step.text), ui.theme.fonts.text, plan.text_width, y);
    highest = std::max(highest, y);
  }
  const float around = font_size(ui.theme.fonts.label) + 2 * ui.theme.px(8) + steps_bar_height(ui, state);
  return std::ceil(around + highest) + 1;
}

}  // namespace

bool has_lesson_panel(const UiContext& ui, const LessonPanelState& state) {
  return shown_step(ui, state.guide) || !ui.document.session().notes.empty() ||
         ui.document.session().lesson.has_value();
}

bool is_reading(const UiContext& ui, const LessonPanelState& state) {
  return shown_step(ui, state.guide) && (state.show_notes || state.guide.walk);
}

LessonPanelPlan plan_lesson_panel(UiContext& ui, LessonPanelState& state, float width, LessonForm form) {
  const Theme& theme = ui.theme;
  LessonGuide& guide = state.guide;
  LessonPanelPlan plan;
  plan.width = width;
  plan.form = form;
  plan.heading = heading_of(ui, state);
  plan.header = font_size(theme.fonts.label) + theme.px(8);
  plan.folded = !state.show_notes && !guide.walk;
  if (plan.folded) return plan;
  place_columns(theme, plan);
  float y = 0;
  const LessonStep* step = shown_step(ui, guide);
  if (step) {
    set_text(ui, plan.title, plain_words(step->title), theme.fonts.title, plan.text_width, y);
    y = highest_title(ui, guide, plan) + theme.px(4);
    set_text(ui, plan.text, step_text(ui, guide, step->text), theme.fonts.text, plan.text_width, y);
  }
  if (has_departed(guide) && !guide.trouble.empty()) {
    y += theme.px(8);
    set_text(ui, plan.trouble, plain_words(trouble_words(guide)), theme.fonts.text, plan.text_width, y);
  }
  if (step) plan_beside_or_below(ui, guide, plan, y);
  plan_intro(ui, guide, plan, y);
  plan.text_end = y;
  plan.body = std::max(y, plan.question_end);
  plan.gap = theme.px(8);
  plan.footer = steps_bar_height(ui, state);
  return plan;
}

float highest_lesson_text(UiContext& ui, LessonPanelState& state, float width) {
  if (state.guide.walk) return kUnlimited;
  HighestText now = {ui.document.opening(), ui.document.revision(), ui.answer ? ui.answer->revision : 0,
                     width, font_size(ui.theme.fonts.text)};
  HighestText& known = state.highest;
  if (known.opening != now.opening || known.revision != now.revision || known.shown != now.shown ||
      known.width != now.width || known.font != now.font) {
    now.height = measured_highest_text(ui, state, width);
    known = now;
  }
  return known.height;
}

std::pair<int, int> count_words(const Theme& theme, const LessonPanelPlan& plan, float begin, float end) {
  std::pair<int, int> words = {0, 0};
  const auto add = [&](const PanelText& text, ImFont* font) {
    for (const PlacedText& piece : text.plan.pieces) {
      const int count = words_in(piece.text);
      words.first += count;
      if (is_whole(theme, font, text.y + piece.y, begin, end)) words.second += count;
    }
  };
  add(plan.title, theme.fonts.title);
  for (const PanelText* text : {&plan.text, &plan.trouble, &plan.intro})
    add(*text, theme.fonts.text);
  for (const PanelText* text : texts_of(plan.question))
    add(*text, theme.fonts.text);
  return words;
}

void lesson_panel(UiContext& ui, LessonPanelState& state, const LessonPanelPlan& plan, float height) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  state.guide.panel_at = at;
  state.guide.panel_size = {plan.width, height};
  state.sight.shown = true;
  state.sight.rectangle =
      outset({at.x, at.y, plan.width, std::max(0.0f, height)}, double{ui.theme.px(kPanelPad)});
  // The buttons are always drawn; the heading only if there is space for both.
  if (plan.folded || height >= plan.header + plan.footer) draw_header(ui, state, plan, at);
  if (plan.folded) return;
  ImGui::SetCursorScreenPos({at.x, at.y + plan.header});
  const float room = height - plan.header - plan.gap - plan.footer;
  draw_scrolled_body(ui, state, plan, room);
  if (plan.body <= room + 1) state.sight.free = free_parts(ui.theme, plan, at, room);
  ImGui::SetCursorScreenPos({at.x, at.y + height - plan.footer});
  steps_bar(ui, state, plan.width);
}

}  // namespace headlight
