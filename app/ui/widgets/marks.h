// The marks around cells and bars. Each has a form, not only a hue, so that it survives greyscale and colour
// blindness: dashed is supposed, solid is so, double is kept, corners are what a guess has missed.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "app/figure/plan/heatmap_plan.h"
#include "app/ui/context/ui_context.h"

namespace headlight {

enum class Mark {
  Selected,  // the cell that the reader selected or points at
  Kept,      // the same cell in the state that was kept
  Pointed,   // what a lesson points at
  Supposed,  // a guess of the reader, or what a goal wants
  Moved,     // a number that has really changed
  Right,     // a cell that was guessed and is right
  Wrong,     // a cell that was guessed and is not
  Missed,    // a cell that is right and was not guessed
};
enum class MarkLine { Solid, Dashed, Double, Corners };

struct MarkForm {
  Mark mark;
  MarkLine line;
  Color Theme::*color;
  float width = 0;  // of a line, planned pixels
  float inset = 0;  // of the outer line from the edge of the cell
  float dash = 0;   // of dashed lines: length of a dash, and about that of a gap; of corners: of their arms
};

// A form for each mark, in the order of Mark.
std::span<const MarkForm> mark_forms();
const MarkForm& form_of(Mark mark);

// What becomes of a guessed cell once it is known which are right; none of a cell that is neither.
std::optional<Mark> outcome_mark(bool guessed, bool right);

// The filled rectangles that draw the mark around `cell`; `scale`: pixels of the result per planned pixel.
std::vector<Rect> mark_pieces(const MarkForm& form, const Rect& cell, double scale);

// Draws the mark around the cell from `low` to `high`, with a line in the ground's colour beside it, so that
// it shows on any colour of a map. `alpha`: 0 to 1.
void draw_mark(const UiContext& ui, Mark mark, ImVec2 low, ImVec2 high, double alpha = 1);

}  // namespace headlight
