// Runs of text, broken into lines. Planned first, then painted.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "app/lesson_text/evaluated_runs.h"

namespace headlight {

// A piece of a line; `run` is the index of its run.
struct PlacedText {
  float x = 0, y = 0, width = 0;
  std::string text;
  std::size_t run = 0;
};

struct TextPlan {
  std::vector<PlacedText> pieces;
  float height = 0;
};

using TextWidth = std::function<float(const std::string&)>;

// Breaks at spaces only, so that a reference and the full stop after it stay together; a line break in the
// text is a line break in the plan. A text whose first letter is of a script that runs from right to left
// stands at the right, and its words in that order. slider_width: of a run that has a slider.
TextPlan plan_text(const std::vector<EvaluatedRun>& runs, float width, float line_height,
                   const TextWidth& measure, float slider_width = 0);

}  // namespace headlight
