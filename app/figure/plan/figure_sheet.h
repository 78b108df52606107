// Several heatmaps under one title, and how they are laid out on a page of a given size.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/figure/plan/figure_grid.h"

namespace headlight {

struct FigureSheet {
  std::string title, subtitle;  // of a sheet of one figure they are that figure's own
  std::string name;             // what the file says of itself, whatever is shown
  std::vector<HeatmapFigure> figures;
  // All have the same rows, so that labels beside the first of each line are enough; the same columns, so
  // that labels of one line are enough; one range, so that one bar is.
  bool same_rows = false, same_columns = false, same_range = false;
  std::size_t columns = 0;  // 0: as suits the page
};

// A page, in planned pixels.
struct SheetSize {
  std::optional<double> width, height;  // neither: cells of a comfortable size
  double pixel = 0;                     // the side of a pixel of the file, 0 where it has none
};

// Cells in which numbers have room when there are few of them, else smaller ones; never less than a pixel.
PlanLimits picture_limits(const HeatmapFigure& figure, double pixel = 1);

// At most so many values along a side are asked of a stage for a picture; a longer one is pooled.
inline constexpr Index kMaxPictureCells = 2048;

// The sheet whose heatmaps have at most so many cells along a side.
using MakeSheet = std::function<FigureSheet(Index max_cells)>;

// Cells as large as the page allows, in whole pixels where it has any; where cells would be smaller than a
// pixel the sheet is made again, pooled. What is left of the page is shared out beside the heatmaps. Throws
// Error when the page has no room for any cells.
FigureGrid lay_out(const MakeSheet& make, const SheetSize& size, const FigureStyle& style,
                   const MeasureText& measure);

}  // namespace headlight
