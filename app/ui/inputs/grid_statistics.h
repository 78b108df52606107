// Count, sum, mean and extremes of the selected cells.
#pragma once

#include <cstdint>
#include <string>

#include "app/ui/inputs/grid_selection.h"
#include "engine/core/matrix.h"
#include "engine/layer/edit.h"

namespace headlight {

// Owned by the grid's state. Its key is the document's revision, the input and the range, so that a selection
// is summed once and not in every frame.
struct GridStatistics {
  std::uint64_t revision = 0;
  InputId input;
  GridRange range;
  double sum = 0, mean = 0;
  float least = 0, most = 0;
};

void update_statistics(GridStatistics& statistics, std::uint64_t revision, const InputId& input,
                       const GridRange& range, const Matrix& matrix);

// "12 cells  ·  sum 3.2  ·  mean 0.2667  ·  min −1  ·  max 2".
std::string statistics_text(const GridStatistics& statistics);

}  // namespace headlight
