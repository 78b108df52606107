#include "app/ui/lesson/lesson_steps_bar.h"

#include <algorithm>
#include <cmath>

#include <imgui.h>

#include "app/platform/imgui_compat.h"
#include "app/ui/lesson/panel_text.h"
#include "app/ui/widgets/text_fit.h"
#include "app/ui/widgets/widgets.h"

namespace headlight {
namespace {

bool plain_button(const UiContext& ui, const std::string& name, const std::string& label,
                  const std::string& tip, bool enabled) {
  return tool_button(ui, name, label, tip, enabled);
}

// The lesson before or after (`behind`) the open one in the course; null if there is none.
const LessonEntry* neighbour(const UiContext& ui, const LessonPanelState& state, bool behind) {
  const Session& session = ui.document.session();
  const bool of_course = entry_of(session, state.entries) != nullptr;
  return of_course ? neighbour_of(*session.lesson, state.entries, behind) : nullptr;
}

// The label of the button for the previous or next lesson, with its number.
std::string neighbour_label(const UiContext& ui, const LessonEntry* lesson, bool behind) {
  const std::string word = label_text(ui, LessonLabel::Lesson);
  const std::string place = lesson ? word + " " + number_of(*lesson) : word;
  return behind ? place + " \u203A" : "\u2039 " + place;
}

// Whether the way on is to save the answers: behind the last step of a lesson of one's own.
bool saves_answers(const LessonGuide& guide, const LessonStep* step) {
  return has_own_answers(guide) && step && !waits_for_answer(guide, *step);
}

std::string end_label(const UiContext& ui, const LessonGuide& guide) {
  if (saves_answers(guide, shown_step(ui, guide))) return label_text(ui, LessonLabel::SaveAnswers) + "\u2026";
  return label_text(ui, LessonLabel::WhatNext) + " \u203A";
}

// Behind the last lesson, and behind one's own.
void end_button(UiContext& ui, const LessonGuide& guide, bool primary) {
  if (saves_answers(guide, shown_step(ui, guide))) {
    if (primary_button(ui, "lesson.save_answers", end_label(ui, guide),
                       "Writes your answers as a small file. Its name is your name"))
      ui.act(Action::SaveAnswers);
    return;
  }
  const auto button = primary ? primary_button : plain_button;
  if (button(
          ui, "lesson.following", end_label(ui, guide),
          "It ends here. The start screen has the course, a model to type your own sentences for, models and "
          "files",
          true))
    ui.act(Action::ShowStart);
}

void lesson_button(UiContext& ui, const LessonPanelState& state, bool behind, bool primary) {
  const LessonEntry* const lesson = neighbour(ui, state, behind);
  if (!lesson && behind) return end_button(ui, state.guide, primary);
  const std::string none = entry_of(ui.document.session(), state.entries)
                               ? "This is the first lesson"
                               : "This lesson is not one of the course";
  const auto button = primary ? primary_button : plain_button;
  if (button(ui, behind ? "lesson.following" : "lesson.previous", neighbour_label(ui, lesson, behind),
             lesson ? lesson->title : none, lesson != nullptr))
    ui.actions.push_back({Action::OpenLesson, lesson->path, Stage::Weights});
}

float dots_height(const UiContext& ui) {
  return std::floor(ui.theme.px(22));
}

void draw_dot(UiContext& ui, LessonGuide& guide, std::size_t i, ImVec2 at, float spacing) {
  const float height = dots_height(ui);
  ImGui::SetCursorScreenPos(at);
  ImGui::PushID(static_cast<int>(i));
  if (click_area("dot", {spacing, height})) go_to_step(guide, i);
  ImGui::PopID();
  const bool here = i == shown_step_index(guide), hot = ImGui::IsItemHovered();
  ui.probe.mark("lesson.dot." + std::to_string(i), here ? "here" : "");
  const std::vector<LessonStep>& steps = guide.walk ? guide.walk->steps : ui.document.session().lesson->steps;
  tooltip(ui, std::to_string(i + 1) + ". " + steps[i].title);
  const ImVec2 middle = {at.x + spacing / 2, at.y + height / 2};
  const float radius = std::min(ui.theme.px(4), spacing * 0.4f);
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const Color color = here || hot ? ui.theme.text : ui.theme.quiet_text;
  if (here || i < shown_step_index(guide))
    list.AddCircleFilled(middle, radius, to_imgui(color));
  else
    list.AddCircle(middle, radius, to_imgui(color), 0, std::max(1.0f, ui.theme.px(1.2f)));
}

// The labels of the buttons to the other steps: only arrows where the four buttons of a walk do not fit.
struct StepLabels {
  std::string back, next;
  float back_width = 0;
};
StepLabels labels_in(const UiContext& ui, const LessonGuide& guide, float width) {
  StepLabels labels = {"\u2039 " + label_text(ui, LessonLabel::Back),
                       label_text(ui, LessonLabel::Next) + " \u203A"};
  labels.back_width = button_width(labels.back);
  if (!guide.walk) return labels;
  const float all = labels.back_width + button_width("Pause") + button_width("Leave") +
                    button_width(labels.next) + 3 * ui.theme.px(8);
  return all <= width ? labels : StepLabels{"\u2039", "\u203A", button_width("\u2039")};
}

void walk_buttons(UiContext& ui, LessonGuide& guide) {
  WalkState& walk = *guide.walk;
  const bool at_end = walk.step + 1 >= walk.steps.size();
  ImGui::SameLine(0, ui.theme.px(8));
  if (tool_button(ui, "walk.play", walk.playing ? "Pause" : "Play", "Go through the pass by itself", true,
                  walk.playing)) {
    walk.playing = !walk.playing;
    walk.next_seconds = 0;
    if (walk.playing && at_end) go_to_step(guide, 0);
  }
  ImGui::SameLine(0, ui.theme.px(8));
  if (tool_button(ui, "walk.leave", "Leave", "Back to the workbench (Escape)")) leave_walk(guide);
}

// Moves the cursor so that a button with this label ends at the right edge.
void at_right_end(ImVec2 at, float width, const std::string& label) {
  ImGui::SetCursorScreenPos({std::floor(at.x + width - button_width(label)), at.y});
}

void following_button(UiContext& ui, const LessonPanelState& state, ImVec2 at, float width, bool primary) {
  const LessonEntry* const next = neighbour(ui, state, true);
  at_right_end(at, width, next ? neighbour_label(ui, next, true) : end_label(ui, state.guide));
  lesson_button(ui, state, true, primary);
}

// Back at the left, next at the right: at the same places in every step.
void step_buttons(UiContext& ui, LessonPanelState& state, const StepLabels& labels, std::size_t count,
                  ImVec2 at, float width) {
  LessonGuide& guide = state.guide;
  const std::size_t here = shown_step_index(guide);
  const bool first = here == 0, last = here + 1 == count;
  if (first && !guide.walk)
    lesson_button(ui, state, false, false);
  else if (tool_button(ui, "lesson.back", labels.back, ui.action_tip("lesson.back"), !first))
    go_by_steps(ui, guide, -1);
  if (guide.walk) walk_buttons(ui, guide);
  if (last && !guide.walk) return following_button(ui, state, at, width, true);
  at_right_end(at, width, labels.next);
  if (primary_button(ui, "lesson.next", labels.next, ui.action_tip("lesson.next"), !last))
    go_by_steps(ui, guide, 1);
}

std::string departure_words(const LessonGuide& guide) {
  if (guide.departure == Departure::Wish) return "You changed what is wished since this lesson began.";
  if (guide.departure == Departure::None && guide.keeps_other)
    return "You kept another state than the one that this step compares with.";
  return guide.departure == Departure::Inputs ? "You changed numbers since this lesson began."
                                              : "You changed the settings since this lesson began.";
}

// Between the buttons: the control that restores the lesson's own numbers and settings. Call after the button
// at the right; `left`: the width of the one at the left.
void draw_departure(UiContext& ui, LessonGuide& guide, ImVec2 at, float width, float left) {
  ImFont* const font = ui.theme.fonts.label;
  const float beside = std::max(ImGui::GetItemRectSize().x, left);
  ImGui::PushFont(font);
  const std::string label =
      elided(label_text(ui, LessonLabel::Restore), width - 2 * (beside + ui.theme.px(8)));
  ImGui::PopFont();
  const ImVec2 size = {text_width(font, label), ImGui::GetFrameHeight()};
  const ImVec2 place = {std::floor(at.x + (width - size.x) / 2), at.y};
  ImGui::SetCursorScreenPos(place);
  if (click_area("lesson.restore", size)) restore_lesson(ui, guide);
  ui.probe.mark("lesson.restore", label);
  tooltip(ui,
          departure_words(guide) +
              " A click takes back all that you changed: numbers, settings and wishes; undo takes that back");
  ui.probe.mark("lesson.departure", departure_words(guide));
  ImGui::GetWindowDrawList()->AddText(
      font, font_size(font), {place.x, std::floor(place.y + (size.y - font_size(font)) / 2)},
      to_imgui(ImGui::IsItemHovered() ? ui.theme.text : ui.theme.link), label.c_str());
}

}  // namespace

bool has_departed(const LessonGuide& guide) {
  return !guide.walk && guide.opened &&
         (guide.departure != Departure::None || !guide.trouble.empty() || guide.keeps_other);
}

float lesson_dots(UiContext& ui, LessonGuide& guide, ImVec2 end, float room) {
  const std::size_t count = step_count(ui, guide);
  const float spacing = std::min(ui.theme.px(16), room / static_cast<float>(count));
  constexpr float kLeastSpacing = 8;  // a smaller dot is neither seen nor hit
  if (spacing < ui.theme.px(kLeastSpacing)) return 0;
  const float width = spacing * static_cast<float>(count);
  const ImVec2 at = {std::floor(end.x - width), std::floor(end.y - dots_height(ui) / 2)};
  for (std::size_t i = 0; i < count; ++i)
    draw_dot(ui, guide, i, {at.x + static_cast<float>(i) * spacing, at.y}, spacing);
  return width;
}

float steps_bar_height(const UiContext& ui, const LessonPanelState& state) {
  const bool steps = step_count(ui, state.guide) > 0;
  return steps || ui.document.session().lesson ? ImGui::GetFrameHeight() : 0;
}

void steps_bar(UiContext& ui, LessonPanelState& state, float width) {
  const std::size_t count = step_count(ui, state.guide);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  if (count == 0 && ui.document.session().lesson) {
    lesson_button(ui, state, false, false);
    following_button(ui, state, at, width, false);
  }
  if (count == 0) return;
  const StepLabels labels = labels_in(ui, state.guide, width);
  step_buttons(ui, state, labels, count, at, width);
  if (has_departed(state.guide)) draw_departure(ui, state.guide, at, width, labels.back_width);
}

}  // namespace headlight
