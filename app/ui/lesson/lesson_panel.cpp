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

// "Lesson 11 of 36": the place in the course; without one the chapter.
std::string place_of(const UiContext& ui, const LessonPanelState& state) {
  const LessonGuide& guide = state.guide;
  if (guide.walk)
    return "Step through: " + token_name(ui.model().tokens, guide.walk->query.row, ui.counting());
  const auto& lesson = ui.document.session().lesson;
  if (const LessonEntry* entry = entry_of(ui.document.session(), state.entries))
    return label_text(ui, LessonLabel::Lesson) + " " + number_of(*entry) + " " +
           label_text(ui, LessonLabel::Of) + " " + std::to_string(course_length(state.entries));
  return lesson && !lesson->chapter.empty() ? lesson->chapter : "Notes";
}

std::string heading_of(const UiContext& ui, const LessonPanelState& state) {
  const std::size_t count = step_count(ui, state.guide);
  if (count == 0) return place_of(ui, state);
  return place_of(ui, state) + " · " + label_text(ui, LessonLabel::Step) + " " +
         std::to_string(shown_step_index(state.guide) + 1) + " " + label_text(ui, LessonLabel::Of) + " " +
         std::to_string(count);
}

// The chapter and the source of the numbers, which the heading has no room for.
std::string heading_tip(const UiContext& ui, const LessonPanelPlan& plan) {
  const auto& lesson = ui.document.session().lesson;
  std::string tip = plan.heading;
  if (lesson && !lesson->chapter.empty()) tip += "\n" + lesson->chapter;
  if (lesson && !lesson->source.empty()) tip += "\nAfter " + lesson->source;
  return tip;
}

// The control that folds the panel, with its right end at `end`. Returns its left end.
float draw_fold(UiContext& ui, LessonPanelState& state, const std::string& fold, ImVec2 end) {
  ImFont* const font = ui.theme.fonts.label;
  const float width = text_width(font, fold);
  const ImVec2 at = {std::floor(end.x - width), end.y};
  ImGui::SetCursorScreenPos(at);
  if (click_area("fold", {width, font_size(font)})) {
    state.show_notes = !state.show_notes;
    state.guide.lit = state.guide.lit && state.show_notes;
  }
  ui.probe.mark("notes.fold", fold);
  ImGui::GetWindowDrawList()->AddText(font, font_size(font), at,
                                      to_imgui(ImGui::IsItemHovered() ? ui.theme.text : ui.theme.link),
                                      fold.c_str());
  return at.x;
}

// One line: the place in the course and in the lesson, the dots of the steps, and the fold.
void draw_header(UiContext& ui, LessonPanelState& state, const LessonPanelPlan& plan, ImVec2 at) {
  ImFont* const font = ui.theme.fonts.label;
  const float gap = ui.theme.px(12);
  float end = at.x + plan.width;
  const bool fixed = state.presented || state.guide.walk || ui.view.offered.few;  // View hides it then
  const std::string fold = fixed ? "" : plan.folded ? "Show" : "Hide";
  if (!fold.empty()) end = draw_fold(ui, state, fold, {end, at.y}) - gap;
  const std::size_t count = plan.folded ? 0 : step_count(ui, state.guide);
  const float words = text_width(font, plan.heading);
  if (count > 0)
    end -= lesson_dots(ui, state.guide, {end, at.y + font_size(font) / 2}, end - at.x - words - gap) + gap;
  ImGui::SetCursorScreenPos(at);
  push_font(font);
  label_text(ui, elided(plan.heading, end - at.x), ui.theme.quiet_text);
  ImGui::PopFont();
  tooltip(ui, heading_tip(ui, plan));
  if (count > 0)
    ui.probe.mark_rect("lesson.step", {at.x, at.y, end - at.x, font_size(font)},
                       std::to_string(shown_step_index(state.guide) + 1) + " of " + std::to_string(count));
}

std::string shown_notes(const UiContext& ui) {
  std::string notes = ui.document.session().notes;
  if (const auto& lesson = ui.document.session().lesson; lesson && lesson->variation_of)
    notes += (notes.empty() ? "" : " ") + variation_words(*lesson->variation_of);
  return notes;
}

// The height of the highest title of all steps, so that the texts below begin at one place.
float highest_title(const UiContext& ui, const LessonGuide& guide, const LessonPanelPlan& plan) {
  float highest = plan.title.plan.height;
  const std::vector<LessonStep>& steps = guide.walk ? guide.walk->steps : ui.document.session().lesson->steps;
  for (const LessonStep& step : steps) {
    if (text_width(ui.theme.fonts.headline, step.title) <= plan.width) continue;
    PanelText title;
    float y = 0;
    set_text(ui, title, plain_words(step.title), ui.theme.fonts.headline, plan.width, y);
    highest = std::max(highest, y);
  }
  return highest;
}

// What the lesson is about: over the title of its first step, or alone where there are no steps. `y`: its
// top, then its end.
void plan_intro(const UiContext& ui, const LessonGuide& guide, LessonPanelPlan& plan, float& y) {
  const std::string notes = shown_notes(ui);
  if (guide.walk || shown_step_index(guide) > 0 || notes.empty()) return;
  set_text(ui, plan.intro, plain_words(notes), ui.theme.fonts.text, plan.width, y);
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

void draw_trouble(UiContext& ui, const LessonPanelPlan& plan, ImVec2 at) {
  if (plan.trouble.empty()) return;
  draw_text(ui, plan.trouble, ui.theme.fonts.reading, ui.theme.quiet_text, at, "");
  mark_text(ui, "lesson.departure", plan.trouble, at, plan.width);
}

void draw_body(UiContext& ui, LessonPanelState& state, const LessonPanelPlan& plan) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const Theme& theme = ui.theme;
  draw_trouble(ui, plan, at);
  draw_text(ui, plan.intro, theme.fonts.text, theme.quiet_text, at, "");
  draw_text(ui, plan.title, theme.fonts.headline, theme.text, at, "");
  mark_text(ui, "lesson.title", plan.title, at, plan.width);
  draw_text(ui, plan.text, theme.fonts.reading, theme.text, at, "lesson.quote.");
  mark_text(ui, "lesson.text", plan.text, at, plan.width);
  state.sight.text_height = plan.text.plan.height;
  question_box(ui, state.guide, plan.question, at, plan.width);
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
  // The scrollbar stands beside the text where there is room, else the text is narrower.
  const float bar = ImGui::GetStyle().ScrollbarSize + ui.theme.px(4);
  const bool beside = ImGui::GetContentRegionAvail().x + 1 >= plan.width + bar;
  LessonPanelPlan narrower;
  if (begin_child(
          "lesson body",
          {scrolls && beside ? plan.width + bar : plan.width, std::max(1.0f, scrolls ? room : plan.body)},
          false, flags)) {
    if (shown != state.guide.read) ImGui::SetScrollY(0);
    // The end of the box that was answered in; its beginning, with the reply, if it is higher than the panel.
    const float end = plan.question.y + plan.question.height - room;
    if (state.guide.shows_end)
      ImGui::SetScrollY(plan.question.replies ? std::min(plan.question.y, end) : end);
    state.guide.shows_end =
        state.guide.shows_end && room != state.room;  // until what the answer opens is laid out
    if (scrolls && !beside) narrower = plan_lesson_panel(ui, state, plan.width - bar);
    const LessonPanelPlan& drawn = scrolls && !beside ? narrower : plan;
    draw_body(ui, state, drawn);
    const float top = ImGui::GetScrollY();
    std::tie(state.sight.words, state.sight.in_sight) =
        count_words(ui.theme, drawn, top, top + (scrolls ? room : drawn.body + 1));
  }
  ImGui::EndChild();
  state.guide.read = shown;
  state.room = room;
}

}  // namespace

bool has_lesson_panel(const UiContext& ui, const LessonPanelState& state) {
  return shown_step(ui, state.guide) || !ui.document.session().notes.empty() ||
         ui.document.session().lesson.has_value();
}

bool is_reading(const UiContext& ui, const LessonPanelState& state) {
  return shown_step(ui, state.guide) && (state.show_notes || state.guide.walk);
}

namespace {

// The words above a slider change while it is dragged, and may take more lines or fewer: its own line stays
// under the pointer. Returns by how much the text has grown.
float hold_slider(std::optional<float>& held, PanelText& text) {
  std::vector<PlacedText>& pieces = text.plan.pieces;
  const auto slider = std::find_if(pieces.begin(), pieces.end(), [&](const PlacedText& piece) {
    return text.runs[piece.run].slider.has_value();
  });
  if (slider == pieces.end()) {
    held.reset();
    return 0;
  }
  const float line = slider->y;
  if (!held || !ImGui::IsMouseDown(ImGuiMouseButton_Left)) held = line;
  const float growth = *held - line;
  for (PlacedText& piece : pieces)
    if (growth < 0 || piece.y >= line) piece.y += growth;
  std::erase_if(pieces, [](const PlacedText& piece) { return piece.y < 0; });
  text.plan.height += growth;
  return growth;
}

}  // namespace

LessonPanelPlan plan_lesson_panel(UiContext& ui, LessonPanelState& state, float width) {
  const Theme& theme = ui.theme;
  LessonGuide& guide = state.guide;
  LessonPanelPlan plan;
  plan.width = width;
  plan.heading = heading_of(ui, state);
  plan.header = font_size(theme.fonts.label) + theme.px(12);
  plan.folded = !state.show_notes && !guide.walk;
  if (plan.folded) return plan;
  float y = 0;
  plan_intro(ui, guide, plan, y);
  if (const LessonStep* step = shown_step(ui, guide)) {
    if (y > 0) y += theme.px(12);
    const float top = y;
    set_text(ui, plan.title, plain_words(step->title), theme.fonts.headline, width, y);
    y = top + highest_title(ui, guide, plan) + theme.px(8);
    set_text(ui, plan.text, step_text(ui, guide, step->text), theme.fonts.reading, width, y);
    y += hold_slider(state.slider_y, plan.text);
  }
  if (has_departed(guide) && !guide.trouble.empty()) {
    y += theme.px(8);
    set_text(ui, plan.trouble, plain_words(trouble_words(guide)), theme.fonts.reading, width, y);
  }
  if (!plan.title.empty()) plan.question = plan_question(ui, guide, width, y);
  plan.body = y;
  plan.gap = theme.px(8);
  plan.footer = steps_bar_height(ui, state);
  return plan;
}

float least_lesson_height(const Theme& theme, const LessonPanelPlan& plan) {
  constexpr float kLines = 6;
  const float lines = plan.text.empty() ? 0 : plan.text.y + kLines * line_height(theme, theme.fonts.reading);
  return std::ceil(plan.header + std::min(lines, plan.body) + plan.gap + plan.footer);
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
  add(plan.title, theme.fonts.headline);
  add(plan.intro, theme.fonts.text);
  for (const PanelText* text : {&plan.text, &plan.trouble})
    add(*text, theme.fonts.reading);
  for (const PanelText* text : texts_of(plan.question))
    add(*text, theme.fonts.reading);
  return words;
}

namespace {

// Records where the panel is, for the line to what the step points at.
void note_place(const UiContext& ui, LessonPanelState& state, ImVec2 at, ImVec2 size) {
  state.guide.panel_at = at;
  state.guide.panel_size = size;
  state.sight.shown = true;
  state.sight.rectangle =
      outset({at.x, at.y, size.x, std::max(0.0f, size.y)}, double{ui.theme.px(kPanelPad)});
}

}  // namespace

void lesson_panel(UiContext& ui, LessonPanelState& state, const LessonPanelPlan& plan, float height,
                  float shelf) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  note_place(ui, state, at, {plan.width, height});
  // The buttons are always drawn; the heading only if there is space for both.
  if (plan.folded || height >= plan.header + plan.footer) draw_header(ui, state, plan, at);
  if (plan.folded) return;
  ImGui::SetCursorScreenPos({at.x, at.y + plan.header});
  draw_scrolled_body(ui, state, plan, height - shelf - plan.header - plan.gap - plan.footer);
  ImGui::SetCursorScreenPos({at.x, at.y + height - plan.footer});
  steps_bar(ui, state, plan.width);
}

void lesson_on_page(UiContext& ui, LessonPanelState& state, const LessonPanelPlan& plan) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  note_place(ui, state, at, {plan.width, plan.header + plan.body});
  draw_header(ui, state, plan, at);
  ImGui::SetCursorScreenPos({at.x, at.y + plan.header});
  const std::string shown = plain_text(plan.title.runs);
  if (std::exchange(state.guide.read, shown) != shown) ImGui::SetScrollY(0);
  const float body = ImGui::GetCursorScreenPos().y;
  if (std::exchange(state.guide.shows_end, false))
    ImGui::SetScrollFromPosY(body + plan.question.y - ImGui::GetWindowPos().y, 0);
  draw_body(ui, state, plan);
  const ImDrawList& list = *ImGui::GetWindowDrawList();
  std::tie(state.sight.words, state.sight.in_sight) =
      count_words(ui.theme, plan, list.GetClipRectMin().y - body, list.GetClipRectMax().y - body);
}

}  // namespace headlight
