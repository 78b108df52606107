// Text with accented runs, broken into lines. Planned first, then painted.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <imgui.h>

#include "app/ui/context/ui_context.h"
#include "engine/views/query.h"

namespace headlight {

struct TextRun {
  std::string text;
  bool accent = false;
  std::optional<CellAddress> cell = {};  // the matrix cell that the words refer to
  std::optional<InputCell> input = {};   // the input cell that they refer to
  float width = 0;                       // of what is drawn instead of the text; 0: the text is drawn
  std::string_view meaning = {};         // meaning of a technical term, shown on a click; "": not a term
  std::size_t part = 0;                  // index of its piece of the source text, used in widget names
};

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
// text is a line break in the plan.
TextPlan plan_text(const std::vector<TextRun>& runs, float width, float line_height,
                   const TextWidth& measure);

}  // namespace headlight
