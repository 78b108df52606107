// The lesson panel: the step's text with live numbers, its position among the steps, and buttons to the other
// steps. It also shows a walk through a forward pass, and the notes of a session without steps. In the wide
// form its question stands beside the text, as below a picture in a narrow window.
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

// What of the panel was in sight in the last frame. A word of which a part is clipped is not drawn at all.
struct LessonSight {
  bool shown = false;
  int words = 0, in_sight = 0;  // of the title, the text and the question box
  Rect rectangle;               // of the panel, in window pixels
  std::vector<Rect> free;       // rectangles of the panel without text or buttons, in window pixels
};

// The state of the panel between frames.
// The result of highest_lesson_text() and what it was computed from.
struct HighestText {
  std::uint64_t opening = 0, revision = 0, shown = 0;  // of the document, and of the newest numbers
  float width = 0, font = 0;
  float height = 0;
};

struct LessonPanelState {
  std::vector<LessonEntry> entries;  // all lessons of the program, sorted by order
  LessonGuide guide;
  bool show_notes = true;  // the lesson, or the notes of a session without steps
  bool presented = false;  // in the presenter's view: without a control that folds it
  LessonSight sight;
  HighestText highest;
};

// Narrow: the question below the text. Wide: beside it, if there is room.
enum class LessonForm { Narrow, Wide };

struct LessonPanelPlan {
  float width = 0;
  LessonForm form = LessonForm::Narrow;
  std::string heading;
  PanelText trouble, intro, title, text;
  float text_width = 0, intro_x = 0;
  QuestionPlan question;                          // with the try
  float question_x = 0, question_width = 0;       // relative to the panel
  float header = 0, body = 0, footer = 0;         // heights
  float text_end = 0, question_end = 0, gap = 0;  // ends in the body; gap: above the footer
  bool folded = false;
  float height() const { return header + body + gap + footer; }
};

// Whether there is a step, a lesson or notes to show.
bool has_lesson_panel(const UiContext& ui, const LessonPanelState& state);
// Whether a step is shown and not folded away: its text then has a column of its own.
bool is_reading(const UiContext& ui, const LessonPanelState& state);

// Lays the panel out for a width.
LessonPanelPlan plan_lesson_panel(UiContext& ui, LessonPanelState& state, float width,
                                  LessonForm form = LessonForm::Narrow);
// The height of the panel in the wide form that shows each step's text without scrolling; without limit if a
// step has a question, whose height depends on the answers.
float highest_lesson_text(UiContext& ui, LessonPanelState& state, float width);
// Counts the words of the plan, and those between two heights of its body.
std::pair<int, int> count_words(const Theme& theme, const LessonPanelPlan& plan, float begin, float end);

// Draws the panel at the cursor with the given height; its body scrolls if it does not fit.
void lesson_panel(UiContext& ui, LessonPanelState& state, const LessonPanelPlan& plan, float height);

}  // namespace headlight
