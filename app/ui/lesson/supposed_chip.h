// The change that the shown step's question supposes, as a chip on the line of words: "step · 0.05 → 3".
// Until the question is answered it says what is asked about; once the change is made, its number can be
// dragged and typed, and the pictures follow.
//
// Probe names: "lesson.change" (its text), "lesson.change.number" (to drag, or to click and type),
// "lesson.change.typed" (the field).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/lesson_text/done_text.h"
#include "app/ui/lesson/lesson_guide.h"

namespace headlight {

struct ChipPlan {
  std::string text;                    // shortened to the room
  std::optional<NumberChange> number;  // of a change of one number
  double step = 0;                     // by which a drag changes it, per planned pixel
  bool editable = false;
  float width = 0;  // 0: the step's question supposes nothing
};

// `most`: the pixels that it may be wide.
ChipPlan plan_chip(UiContext& ui, const LessonGuide& guide, float most);
float chip_height(const Theme& theme);
// Draws the chip with its top left corner at `at`, and changes the model by what is dragged or typed.
void supposed_chip(UiContext& ui, LessonGuide& guide, const ChipPlan& plan, ImVec2 at);

// The tokens whose embeddings the change is about.
std::vector<Index> supposed_tokens(const UiContext& ui, const LessonGuide& guide);

}  // namespace headlight
