// Paints the mask on the large picture of `masked`: the first cell of a stroke decides whether the stroke
// allows or forbids, and all further cells get the same value.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "app/ui/context/ui_context.h"
#include "app/ui/picture/heatmap_view.h"

namespace headlight {

// A stroke over the mask, or over the goal (goal_picture.h).
struct MaskPainter {
  std::uint64_t gesture = 0;      // of the running stroke; 0: none
  float value = 0;                // what the stroke paints: 1 allows, 0 forbids
  std::optional<CellBlock> last;  // the cells under the pointer in the frame before
  PairArray painted;              // the allowed pairs after the stroke so far
};

// The cells on the line between two cells, without its ends: a fast pointer skips some from one frame to the
// next. As row and column.
std::vector<std::pair<Index, Index>> cells_between(const CellBlock& from, const CellBlock& to);

// Applies the pointer of this frame to the mask, on the picture that returned `result`. Sends one command if
// cells change; the commands of a stroke are one undo step.
void paint_mask(UiContext& ui, MaskPainter& painter, const HeatmapResult& result);
// Call when no picture is held: ends the stroke.
void end_stroke(MaskPainter& painter);

}  // namespace headlight
