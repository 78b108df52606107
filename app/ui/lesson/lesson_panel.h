// The lesson panel on the right: the step's text with live numbers, its position among the steps, and buttons
// to the other steps. It also shows a walk through a forward pass, and the notes of a session without steps.
//
// Probe names: "lesson.title", "lesson.text" (with its numbers filled in), those of question_box.h,
// "lesson.step" ("3 of 7"), "lesson.dot.<n>" from 0, "lesson.quote.<n>", "lesson.back", "lesson.next",
// "lesson.previous" and "lesson.following" (whole lessons), "lesson.departure", "lesson.restore",
// "notes.fold", "walk.play", "walk.leave".
#pragma once

#include <string>
#include <vector>

#include "app/ui/context/ui_context.h"
#include "app/ui/lesson/lesson_guide.h"
#include "app/ui/lesson/lesson_list.h"
#include "app/ui/lesson/panel_text.h"
#include "app/ui/lesson/question_box.h"

namespace headlight {

// The state of the panel between frames.
struct LessonPanelState {
  std::vector<LessonEntry> entries;  // all lessons of the program, sorted by order
  LessonGuide guide;
  bool show_notes = true;  // the lesson, or the notes of a session without steps
};

struct LessonPanelPlan {
  float width = 0;
  std::string heading;
  PanelText trouble, intro, title, text;
  QuestionPlan question;                   // with the try
  float header = 0, body = 0, footer = 0;  // heights
  float gap = 0;                           // above the footer
  bool folded = false;
  float height() const { return header + body + gap + footer; }
};

// Whether there is a step, a lesson or notes to show.
bool has_lesson_panel(const UiContext& ui, const LessonPanelState& state);

// Lays the panel out for a width.
LessonPanelPlan plan_lesson_panel(UiContext& ui, LessonPanelState& state, float width);

// Draws the panel at the cursor with the given height; its body scrolls if it does not fit.
void lesson_panel(UiContext& ui, LessonPanelState& state, const LessonPanelPlan& plan, float height);

}  // namespace headlight
