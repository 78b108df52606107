// The lesson panel: the step's text with live numbers, its position among the steps, and buttons to the other
// steps. It also shows a walk through a forward pass, and the notes of a session without steps.
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
  float text_height = 0;        // of the text, in sight or not
  Rect rectangle;               // of the panel, in window pixels
};

// The state of the panel between frames.
// The lowest line of the slider in a step's text so far: it goes no higher where the words above become
// fewer.
struct HeldSlider {
  std::size_t step = 0;
  float width = 0;  // of the text
  std::optional<float> y;
};

struct LessonPanelState {
  std::vector<LessonEntry> entries;  // all lessons of the program, sorted by order
  LessonGuide guide;
  bool show_notes = true;  // the lesson, or the notes of a session without steps
  bool presented = false;  // in the presenter's view: without a control that folds it
  LessonSight sight;
  float room = 0;  // the height of the body in the last frame
  HeldSlider slider;
};

struct LessonPanelPlan {
  float width = 0;
  std::string heading;
  PanelText trouble, intro, title, text;
  QuestionPlan question;                            // with the try
  float header = 0, body = 0, gap = 0, footer = 0;  // heights; gap: above the footer
  bool folded = false;
  float height() const { return header + body + gap + footer; }
};

// Whether there is a step, a lesson or notes to show.
bool has_lesson_panel(const UiContext& ui, const LessonPanelState& state);
// Whether a step is shown and not folded away: its text then has a column of its own.
bool is_reading(const UiContext& ui, const LessonPanelState& state);

// Lays the panel out for a width.
LessonPanelPlan plan_lesson_panel(UiContext& ui, LessonPanelState& state, float width);
// The height of the panel with its buttons in which six lines of the text are in sight, or all if it has
// less.
float least_lesson_height(const Theme& theme, const LessonPanelPlan& plan);
// The height of least_lesson_height() with the whole box of the question below it; while presenting, two
// lines of text instead of six.
float asking_lesson_height(const Theme& theme, const LessonPanelPlan& plan, bool presented);
// Counts the words of the plan, and those between two heights of its body.
std::pair<int, int> count_words(const Theme& theme, const LessonPanelPlan& plan, float begin, float end);

// Draws the panel at the cursor with the given height. Where not all has room, the text scrolls above the
// question, which is in sight; if it is higher than what the first lines of the text leave, it scrolls too.
// `shelf`: the height left free above the buttons, with the gap above it.
void lesson_panel(UiContext& ui, LessonPanelState& state, const LessonPanelPlan& plan, float height,
                  float shelf = 0);
// Draws all but the buttons at the cursor, as high as it is: a part of a page that scrolls.
void lesson_on_page(UiContext& ui, LessonPanelState& state, const LessonPanelPlan& plan);

}  // namespace headlight
