// Texts of the lesson panel: laid out below each other, with live numbers that lead to their cells, and
// sliders.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "app/ui/lesson/lesson_guide.h"
#include "app/ui/lesson/rich_text.h"

namespace headlight {

// One text, laid out; y counts from the top of what it stands in.
struct PanelText {
  std::vector<TextRun> runs;
  TextPlan plan;
  float y = 0;
  bool empty() const { return runs.empty(); }
};

// Words without numbers, cut where a person would have stopped reading.
std::vector<TextRun> plain_words(const std::string& text);
// A text of the step that is shown, with its numbers.
std::vector<TextRun> step_text(UiContext& ui, const LessonGuide& guide, const LessonText& text);

// Lays a text out below what is there already and moves `y` behind it.
void set_text(const UiContext& ui, PanelText& text, std::vector<TextRun> runs, ImFont* font, float width,
              float& y);

// Draws it with its top at `origin`.y + text.y. Accented words can be pointed at and clicked like the cell
// they stand for; they are probed as `references` and their number, and its sliders as
// "lesson.slider.<setting>".
void draw_text(UiContext& ui, const PanelText& text, ImFont* font, Color color, ImVec2 origin,
               const std::string& references);
// What the term means that was clicked in one of the texts, beside it. Once, in the window that they stand
// in. Terms are probed as "lesson.term.<word>", the meaning as "lesson.meaning".
void explain_term(UiContext& ui);
void mark_text(UiContext& ui, const std::string& name, const PanelText& text, ImVec2 origin, float width);

}  // namespace headlight
