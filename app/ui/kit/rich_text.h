// Running text in which some words are accented, broken into lines. Planned first, then painted.
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
  std::optional<CellAddress> cell = {};  // of the matrix, that the words stand for
  std::optional<InputCell> input = {};   // likewise, of the inputs
  float width = 0;                       // of what is drawn in their place; 0: the words are
  std::string_view meaning = {};         // of a term of the field, which a click shows; "": it is none
  std::size_t part = 0;                  // of the text it was made of, which names of widgets count
};

// A piece of a line; `run` is the run it belongs to.
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

// Breaks at spaces only, so that a quote and the full stop behind it stay together; a line break in the text
// is one in the plan.
TextPlan plan_text(const std::vector<TextRun>& runs, float width, float line_height,
                   const TextWidth& measure);

}  // namespace headlight
