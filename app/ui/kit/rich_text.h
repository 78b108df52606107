// Running text in which some words are accented, broken into lines. Planned first, then painted.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <imgui.h>

#include "engine/views/query.h"

namespace headlight {

struct TextRun {
  std::string text;
  bool accent = false;
  std::optional<CellAddress> cell;  // of the matrix, that the words stand for
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
