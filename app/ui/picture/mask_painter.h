// Painting the mask on the large picture of `masked`: the first cell of a stroke decides whether it allows or
// forbids, and all that the pointer passes follows.
#pragma once

#include <cstdint>
#include <optional>

#include "app/ui/context/ui_context.h"
#include "app/ui/picture/heatmap_view.h"

namespace headlight {

struct MaskPainter {
  std::uint64_t gesture = 0;      // of the running stroke; 0: none
  float value = 0;                // what the stroke paints: 1 allows, 0 forbids
  std::optional<CellBlock> last;  // where the pointer was in the frame before
  PairArray painted;              // the open pairs as the stroke has left them
};

// What the pointer does to the mask in this frame, on the picture that gave `result`. Sends one command when
// cells change; those of a stroke are one undo step.
void paint_mask(UiContext& ui, MaskPainter& painter, const HeatmapResult& result);
// Call when no picture is held: the stroke is over.
void end_stroke(MaskPainter& painter);

}  // namespace headlight
