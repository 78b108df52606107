// The hatching of cells that the mask forbids: one quiet pattern over the whole region, the same in the
// window, in thumbnails and in files.
#pragma once

#include <functional>
#include <string>

#include "app/figure/plan/heatmap_plan.h"

namespace headlight {

// Lines that rise at 45 degrees, from one to the next at right angles, in planned pixels; and how far their
// colour is from that of an empty cell to that of text.
inline constexpr double kHatchPitch = 6, kHatchContrast = 0.08;
// Pictures whose shorter side is below this are not hatched: the colour of empty cells has to do.
inline constexpr double kLeastHatched = 40;
// What the legend of a figure calls hatched cells.
inline constexpr const char* kHiddenByMask = "hidden by the mask";

// Without segments.
PlannedHatching empty_hatching(const FigureStyle& style);

using IsHidden = std::function<bool(Index row, Index column)>;
// Adds the parts of the pattern over the hidden cells of `rect`, which rows x columns equal cells fill. The
// lines of all regions of a picture continue each other. Cost: lines x cells along a line.
void add_hatching(PlannedHatching& hatching, const Rect& rect, Index rows, Index columns,
                  const IsHidden& hidden, const FigureStyle& style);
// Over a whole rectangle.
void add_hatching(PlannedHatching& hatching, const Rect& rect, const FigureStyle& style);

}  // namespace headlight
