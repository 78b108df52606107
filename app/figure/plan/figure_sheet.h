// FigureSheet: several heatmaps under one title, and their layout on a page of a given size.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/figure/plan/figure_grid.h"

namespace headlight {

struct FigureSheet {
  std::string title, subtitle;  // empty for a sheet of one figure, which has them itself
  std::string name;             // the title in the metadata of the file, whatever is shown
  std::vector<HeatmapFigure> figures;
  // All have the same rows: only the first of each line has row labels. All have the same columns: only one
  // line has column labels. All have the same range: there is one colour bar.
  bool same_rows = false, same_columns = false, same_range = false;
  std::size_t columns = 0;  // 0: chosen to fit the page
  // On a page of a given width and any height: in as many columns as leave room for the names of the columns,
  // with rows as high as their names.
  bool wraps = false;
  bool legend = true;                        // says below what hatching means
  std::string hidden_words = kHiddenByMask;  // the words of the legend
};

// A page, in planned pixels.
struct SheetSize {
  // Neither: cells of the default size, picture_limits(), smaller where the page would be wider than 1,200 or
  // heatmaps that share their columns would be a page more than twice as high as wide.
  std::optional<double> width, height;
  double pixel = 0;                 // the side of a pixel of the file; 0 for vector formats
  std::optional<double> cell = {};  // the side of all cells; with it neither width nor height
};

// With more rows or columns, cells have numbers by default neither the room nor the sense.
inline constexpr Index kMostNumbered = 12;

// The default cell sizes: large enough for numbers if there are few cells, else smaller; at least `pixel`.
PlanLimits picture_limits(const HeatmapFigure& figure, double pixel = 1);

// The longest side of a page in planned pixels: PDF allows 200 inches.
inline constexpr double kLongestSide = 19200;

// The most values along a side of a picture that are requested from a stage; longer sides are pooled.
inline constexpr Index kMaxPictureCells = 2048;

// Returns the sheet with heatmaps of at most `max_cells` cells along a side.
using MakeSheet = std::function<FigureSheet(Index max_cells)>;

// Makes cells as large as the page allows, in whole pixels if the file has pixels. If cells would be smaller
// than a pixel, `make` is called again for a pooled sheet. The heatmaps are centred on the page. With a size
// of the cells, a page is as large as they need, and none is pooled. Throws Error if no cells fit the page,
// or cells of this size none, with the size that does.
FigureGrid lay_out(const MakeSheet& make, const SheetSize& size, const FigureStyle& style,
                   const MeasureText& measure);

}  // namespace headlight
