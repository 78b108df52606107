// Texts of the lesson panel, laid out below each other, with live numbers that select cells, and sliders.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "app/lesson_text/lesson_labels.h"
#include "app/ui/lesson/lesson_guide.h"
#include "app/ui/widgets/rich_text.h"

namespace headlight {

// A text with its layout. `y`: its top, relative to the top of the panel's body.
struct PanelText {
  std::vector<EvaluatedRun> runs;
  TextPlan plan;
  float y = 0;
  bool empty() const { return runs.empty(); }
};

// A text without references; a very long one is truncated.
std::vector<EvaluatedRun> plain_words(const std::string& text);
// The language of the open lesson; English without one.
const LessonLanguage& lesson_language(const UiContext& ui);
std::string label_text(const UiContext& ui, LessonLabel label);
// A number that the window writes beside the lesson's own, with its decimal sign.
std::string guess_number_text(const UiContext& ui, double number);

// A text of the shown step, with its numbers.
std::vector<EvaluatedRun> step_text(UiContext& ui, const LessonGuide& guide, const LessonText& text);

// Lays out a text at `y` and adds its height to `y`.
void set_text(const UiContext& ui, PanelText& text, std::vector<EvaluatedRun> runs, ImFont* font, float width,
              float& y);

// The height of a line of text.
float line_height(const Theme& theme, const ImFont* font);
// Whether a line of this font with its top at `top` lies between `begin` and `end`, except for rounding.
bool is_whole(const Theme& theme, const ImFont* font, float top, float begin, float end);

// Draws the text with its top at origin.y + text.y, except lines of which the window's edge would cut off a
// part. Hovering or clicking live numbers acts on their cells.
// Probe names: `references` + the number of the run, "lesson.slider.<setting>".
void draw_text(UiContext& ui, const PanelText& text, ImFont* font, Color color, ImVec2 origin,
               const std::string& references);
// Draws the popup with the meaning of the term that was clicked in one of the texts. Call once, in the window
// of the texts. Probe names: "lesson.term.<word>", "lesson.meaning".
void explain_term(UiContext& ui);
void mark_text(UiContext& ui, const std::string& name, const PanelText& text, ImVec2 origin, float width);

}  // namespace headlight
