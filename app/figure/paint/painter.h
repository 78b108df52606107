// What paints a planned figure: one painter for each format, all from the same plan.
#pragma once

#include <array>

#include "app/figure/paint/png_file.h"
#include "app/figure/plan/drawing.h"
#include "app/figure/plan/figure_grid.h"

namespace headlight {

// Everything stands `at` a point of the figure, in planned pixels.
class Painter {
 public:
  virtual ~Painter() = default;
  virtual void cells(const PlannedCells& cells, Point at) = 0;
  virtual void bar(const PlannedBar& bar, Point at) = 0;
  virtual void fill(const PlannedFill& fill, Point at) = 0;
  virtual void stroke(const PlannedLine& line, Point at) = 0;
  virtual void line(const PlannedLine& line, Point at) = 0;  // on whole pixels, where it is level or upright
  virtual void box(const PlannedBox& box, Point at) = 0;
  virtual void triangle(const std::array<Point, 3>& corners, Color color, Point at) = 0;
  virtual void dot(const PlannedDot& dot, Point at) = 0;
  virtual void text(const PlannedText& text, Point at) = 0;
};

void paint(const HeatmapPlan& plan, Point at, Painter& painter);
void paint(const Drawing& drawing, Point at, Painter& painter);
void paint(const FigureGrid& figure, Painter& painter);

// Where a text begins, from its anchor, when it is `width` wide.
double text_start(const PlannedText& text, double width);
// From the anchor down to the baseline: capitals and digits are 0.73 of the size high, and their middle
// stands on the anchor.
inline double baseline(const PlannedText& text) {
  return 0.365 * text.size_px;
}

// How the cells of a figure are written where both are possible.
enum class CellsForm { Rectangles, Image };

// Up to 64 x 64 cells in a heatmap and four times that in a figure rectangles stay small and quick; beyond,
// each heatmap is one image.
inline constexpr std::size_t kMostRectangles = std::size_t{64} * 64,
                             kMostRectanglesOfFigure = 4 * kMostRectangles;
CellsForm cells_form(const FigureGrid& figure);

// How many times the images of cells are enlarged, so that a viewer that smooths them blurs only the edges of
// cells: up to 16 times, less where that would be more than eight million pixels.
Index enlargement(const FigureGrid& figure);

// The cells as pixels, each enlarged to a square of `by` x `by`.
struct CellPixels {
  CellPixels(const PlannedCells& cells, Index by);
  PngPixels png() const;  // lives no longer than this

  Index width, height;
  std::vector<std::uint32_t> pixels;  // row by row, 0x00RRGGBB
};

// The colours of a bar, from top to bottom, as the stops of an even gradient.
std::vector<Color> bar_stops(const PlannedBar& bar);

// A cell as a vector painter draws it: half a pixel to the right and down under its neighbours, between which
// a viewer would else show hairlines. Lines between cells hide these by themselves.
Rect joined_cell(const PlannedCells& cells, Index row, Index column);

}  // namespace headlight
