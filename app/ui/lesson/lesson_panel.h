// The lesson at the right: the step's text with live numbers, its place among the steps, and the way on. A
// walk through a forward pass is shown in the same way, and the notes of a session without steps.
//
// Names: "lesson.title", "lesson.text" (with its numbers filled in), those of the question's box,
// "lesson.step" ("3 of 7"), "lesson.dot.<n>" from 0, "lesson.reference.<n>", "lesson.back", "lesson.next",
// "lesson.previous" and "lesson.following" (whole lessons), "lesson.departure", "lesson.restore",
// "walk.play", "walk.leave".
#pragma once

#include <string>
#include <vector>

#include "app/ui/context/ui_context.h"
#include "app/ui/lesson/lesson_guide.h"
#include "app/ui/lesson/lesson_list.h"
#include "app/ui/lesson/panel_text.h"
#include "app/ui/lesson/question_box.h"

namespace headlight {

// What the panel remembers from frame to frame.
struct LessonPanelState {
  std::vector<LessonEntry> entries;  // all lessons that come with the program, in their order
  LessonGuide guide;
  bool show_notes = true;  // the lesson, or the notes of a session without steps
};

struct LessonPanelPlan {
  float width = 0;
  std::string heading;
  PanelText trouble, intro, title, text;
  QuestionPlan question;                   // with what there is to try
  float header = 0, body = 0, footer = 0;  // heights
  float gap = 0;                           // above the footer
  bool folded = false;
  float height() const { return header + body + gap + footer; }
};

// Whether there is anything to show.
bool has_lesson_panel(const UiContext& ui, const LessonPanelState& state);

// Lays the panel out for a width, in at most `height` if that can be helped by scrolling its body.
LessonPanelPlan plan_lesson_panel(UiContext& ui, LessonPanelState& state, float width);

// Draws at the cursor, into at most `height`.
void lesson_panel(UiContext& ui, LessonPanelState& state, const LessonPanelPlan& plan, float height);

}  // namespace headlight
