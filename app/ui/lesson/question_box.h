// The box below a step's text: what it gives to try, and where it asks first, the question, the answers to
// choose from, and once it was tried what happened, in words that fit the answer.
//
// Names: "lesson.try", "lesson.question", "lesson.answer.<n>", "lesson.guess" (its slider),
// "lesson.guess.give", "lesson.do", "lesson.reply".
#pragma once

#include <string>
#include <vector>

#include "app/settings/preferences.h"
#include "app/ui/lesson/panel_text.h"

namespace headlight {

struct QuestionPlan {
  std::string heading;
  PanelText question, note, try_it, reply;
  std::vector<PanelText> answers;
  float y = 0, height = 0;           // of the box; 0: there is none
  float slider_y = 0, do_y = 0;      // 0: there is none
  std::optional<std::size_t> given;  // of the answers to choose from
  std::optional<std::size_t> right;  // of these, once the reply is told
};

// Lays it out for the step that is shown, below what is there already, and moves `y` behind it.
QuestionPlan plan_question(UiContext& ui, LessonGuide& guide, float width, float& y);

// Whether the step that is shown asks something.
bool shows_question(const UiContext& ui, const LessonGuide& guide);

// Draws it with its top at `at`.y + plan.y.
void question_box(UiContext& ui, LessonGuide& guide, const QuestionPlan& plan, ImVec2 at, float width);

// Once a frame, before the panels: a clicked cell that was asked for is an answer, and what was changed since
// an answer was given counts as its try.
void follow_question(const UiContext& ui, LessonGuide& guide);

// Takes over what was answered before this start, once, and keeps what is answered now, for the lesson's file
// of that stem.
void keep_answers(const UiContext& ui, LessonGuide& guide, const std::string& stem, WindowMemory& memory);

}  // namespace headlight
