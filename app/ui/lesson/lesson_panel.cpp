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

// What the text cannot know: it speaks of the step's settings and of the state that the step has kept. Empty:
// nothing.
std::string trouble_words(const UiContext& ui, const LessonGuide& guide) {
  if (!has_departed(guide) || (guide.trouble.empty() && !guide.keeps_other))
    return guide.took_back && !guide.walk ? label_text(ui, LessonLabel::OwnAgain) : "";
  if (guide.trouble.empty())
    return "“Kept” is the state that you kept, not the one that the text speaks of. Restore brings that "
           "back.";
  return "This step's settings do not fit your changes: " + guide.trouble + ".";
}

// "Lesson 11": the place in the course; without one the chapter.
std::string place_of(const UiContext& ui, const LessonPanelState& state) {
  const LessonGuide& guide = state.guide;
  if (guide.walk)
    return "Step through: " + token_name(ui.layer().tokens, guide.walk->query.row, ui.counting());
  const auto& lesson = ui.document.session().lesson;
  if (const LessonEntry* entry = entry_of(ui.document.session(), state.entries))
    return label_text(ui, LessonLabel::Lesson) + " " + number_of(*entry);
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

// All but the question's box, with the top of the body at `at`.
void draw_words(UiContext& ui, LessonPanelState& state, const LessonPanelPlan& plan, ImVec2 at) {
  const Theme& theme = ui.theme;
  draw_trouble(ui, plan, at);
  draw_text(ui, plan.intro, theme.fonts.text, theme.quiet_text, at, "");
  draw_text(ui, plan.title, theme.fonts.headline, theme.text, at, "");
  mark_text(ui, "lesson.title", plan.title, at, plan.width);
  draw_text(ui, plan.text, theme.fonts.reading, theme.text, at, "lesson.quote.");
  mark_text(ui, "lesson.text", plan.text, at, plan.width);
  state.sight.text_height = plan.text.plan.height;
}

void draw_body(UiContext& ui, LessonPanelState& state, const LessonPanelPlan& plan) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  draw_words(ui, state, plan, at);
  question_box(ui, state.guide, plan.question, at, plan.width);
  explain_term(ui);
  ImGui::SetCursorScreenPos(at);
  ImGui::Dummy({plan.width, plan.body});
}

// The first lines of the text, which stay in sight, with what is above them. Presented, the question has the
// room.
float first_lines(const Theme& theme, const LessonPanelPlan& plan, bool presented) {
  const float lines = presented ? 2 : 6;
  if (plan.text.empty()) return 0;
  return plan.text.y + std::min(plan.text.plan.height, lines * line_height(theme, theme.fonts.reading));
}

// A part of the body from `top` to `bottom`, which scrolls where it is higher than `room`.
struct BodyPart {
  const char* name;
  float top = 0, bottom = 0, room = 0;
  bool scrolls() const { return bottom - top > room + 1; }  // not for rounding differences
};

// The text and the question's box: what has no room scrolls by itself, so that the question is in sight.
std::vector<BodyPart> body_parts(const Theme& theme, const LessonPanelState& state,
                                 const LessonPanelPlan& plan, float room) {
  const float box = plan.question.height;
  if (box == 0 || plan.body <= room + 1) return {{"lesson body", 0, plan.body, room}};
  const float gap = theme.px(kBoxGap), end = plan.body - box - gap;
  const float least = std::min(first_lines(theme, plan, state.presented), end);
  const float asked = std::clamp(room - least - gap, 0.0f, box);
  return {{"lesson body", 0, end, std::max(1.0f, room - asked - gap)},
          {"lesson question", plan.body - box, plan.body, std::max(1.0f, asked)}};
}

// The scroll position of a part: the beginning of a new step, and after an answer the reply, else the end.
void scroll_part(const LessonGuide& guide, const LessonPanelPlan& plan, const BodyPart& part, bool new_step) {
  if (new_step) ImGui::SetScrollY(0);
  if (guide.shows_end && part.bottom == plan.body && plan.question.height > 0)
    ImGui::SetScrollY(plan.question.replies ? 0 : part.bottom - part.top - part.room);
}

// The scrollbar stands beside the text where there is room, else the text is narrower.
void draw_part(UiContext& ui, LessonPanelState& state, const LessonPanelPlan& plan, const BodyPart& part,
               bool new_step) {
  const bool scrolls = part.scrolls();
  const auto flags = ImGuiWindowFlags_NoBackground |
                     (scrolls ? 0 : ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse);
  const float bar = ImGui::GetStyle().ScrollbarSize + ui.theme.px(4);
  const float room = ImGui::GetContentRegionAvail().x, width = scrolls ? plan.width + bar : plan.width;
  if (begin_child(part.name, {std::min(width, std::max(room, plan.width)), part.room}, false, flags)) {
    scroll_part(state.guide, plan, part, new_step);
    const ImVec2 at = ImGui::GetCursorScreenPos(), body = {at.x, at.y - part.top};
    if (part.top == 0) draw_words(ui, state, plan, body);
    if (part.bottom == plan.body) question_box(ui, state.guide, plan.question, body, plan.width);
    explain_term(ui);
    ImGui::SetCursorScreenPos(at);
    ImGui::Dummy({plan.width, part.bottom - part.top});
    const float top = part.top + ImGui::GetScrollY();
    state.sight.in_sight +=
        count_words(ui.theme, plan, top, std::min(top + part.room, part.bottom) + 1).second;
  }
  ImGui::EndChild();
}

// Draws the body into a height of `room`.
void draw_scrolled_body(UiContext& ui, LessonPanelState& state, const LessonPanelPlan& plan, float room) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float bar = ImGui::GetStyle().ScrollbarSize + ui.theme.px(4);
  const bool beside = ImGui::GetContentRegionAvail().x + 1 >= plan.width + bar;
  LessonPanelPlan narrower;
  if (plan.body > room + 1 && !beside) narrower = plan_lesson_panel(ui, state, plan.width - bar);
  const LessonPanelPlan& drawn = plan.body > room + 1 && !beside ? narrower : plan;
  const std::string shown = plain_text(plan.title.runs);
  const bool new_step = std::exchange(state.guide.read, shown) != shown;
  state.sight.words = count_words(ui.theme, drawn, 0, 0).first;
  state.sight.in_sight = 0;
  float y = at.y;
  const bool shows_end = state.guide.shows_end;
  for (const BodyPart& part : body_parts(ui.theme, state, drawn, room)) {
    ImGui::SetCursorScreenPos({at.x, y});
    draw_part(ui, state, drawn, part, new_step);
    y += part.room + ui.theme.px(kBoxGap);
  }
  // Until what the answer opens is laid out: in the frame after the answer at the earliest.
  if (shows_end && room == state.room) state.guide.shows_end = false;
  if (state.guide.shows_end) ui.wake_within(0.001);
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

// The words above a slider change with it, and may take more lines or fewer: while it is dragged its line
// stays under the pointer, and afterwards it goes no higher. Returns by how much the text has grown.
float hold_slider(HeldSlider& of, std::size_t step, float width, PanelText& text) {
  if (of.step != step || of.width != width) of = {step, width, std::nullopt};
  std::optional<float>& held = of.y;
  std::vector<PlacedText>& pieces = text.plan.pieces;
  const auto slider = std::find_if(pieces.begin(), pieces.end(), [&](const PlacedText& piece) {
    return text.runs[piece.run].slider.has_value();
  });
  if (slider == pieces.end()) {
    held.reset();
    return 0;
  }
  const float line = slider->y;
  if (!held || !ImGui::IsMouseDown(ImGuiMouseButton_Left)) held = std::max(line, held.value_or(line));
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
  const LessonStep* const step = shown_step(ui, guide);
  // Presented, a question needs the room, and who presents says what the lesson is about.
  if (!state.presented || !step || !step->question) plan_intro(ui, guide, plan, y);
  if (step) {
    if (y > 0) y += theme.px(12);
    const float top = y;
    set_text(ui, plan.title, plain_words(step->title), theme.fonts.headline, width, y);
    y = top + highest_title(ui, guide, plan) + theme.px(8);
    set_text(ui, plan.text, step_text(ui, guide, step->text), theme.fonts.reading, width, y);
    y += hold_slider(state.slider, guide.step, width, plan.text);
  }
  if (const std::string trouble = trouble_words(ui, guide); !trouble.empty()) {
    y += theme.px(8);
    set_text(ui, plan.trouble, plain_words(trouble), theme.fonts.reading, width, y);
  }
  if (!plan.title.empty()) plan.question = plan_question(ui, guide, width, y);
  plan.body = y;
  plan.gap = theme.px(8);
  plan.footer = steps_bar_height(ui, state);
  return plan;
}

float least_lesson_height(const Theme& theme, const LessonPanelPlan& plan) {
  constexpr float kLines = 2;  // of the question below them
  const float box =
      plan.question.height > 0 ? theme.px(kBoxGap) + kLines * line_height(theme, theme.fonts.reading) : 0;
  return std::ceil(plan.header + first_lines(theme, plan, false) + box + plan.gap + plan.footer);
}

float asking_lesson_height(const Theme& theme, const LessonPanelPlan& plan, bool presented) {
  const float box = plan.question.height > 0 ? plan.question.height + theme.px(kBoxGap) : 0;
  return std::ceil(plan.header + first_lines(theme, plan, presented) + box + plan.gap + plan.footer);
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
