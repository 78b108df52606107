// Painting of planned figures: one painter for each format, all from the same plan.
#pragma once

#include <array>

#include "app/figure/paint/png_file.h"
#include "app/figure/plan/drawing.h"
#include "app/figure/plan/figure_grid.h"

namespace headlight {

// `at`: the offset of the element's coordinates in the figure, in planned pixels.
class Painter {
 public:
  virtual ~Painter() = default;
  virtual void cells(const PlannedCells& cells, Point at) = 0;
  virtual void bar(const PlannedBar& bar, Point at) = 0;
  virtual void hatching(const PlannedHatching& hatching, Point at) = 0;
  virtual void fill(const PlannedFill& fill, Point at) = 0;
  virtual void band(const PlannedBand& band, Point at) = 0;
  virtual void curve(const PlannedCurve& curve, Point at) = 0;
  virtual void stroke(const PlannedLine& line, Point at) = 0;
  virtual void line(const PlannedLine& line, Point at) = 0;  // snapped to pixels if horizontal or vertical
  virtual void box(const PlannedBox& box, Point at) = 0;
  virtual void triangle(const std::array<Point, 3>& corners, Color color, Point at) = 0;
  virtual void dot(const PlannedDot& dot, Point at) = 0;
  virtual void text(const PlannedText& text, Point at) = 0;
};

void paint(const HeatmapPlan& plan, Point at, Painter& painter);
void paint(const Drawing& drawing, Point at, Painter& painter);
void paint(const FigureGrid& figure, Painter& painter);

// The offset along the line from the anchor to the start of a text that is `width` wide.
double text_start(const PlannedText& text, double width);
// The distance from the anchor down to the baseline: capitals and digits are 0.73 of the size high, and the
// anchor is at half their height.
inline double baseline(const PlannedText& text) {
  return 0.365 * text.size_px;
}

// How a vector file stores the cells of a figure.
enum class CellsForm { Rectangles, Image };

// Rectangles are small and fast up to 64 x 64 cells in a heatmap and four times that in a figure; with more
// cells each heatmap is one image.
inline constexpr std::size_t kMostRectangles = std::size_t{64} * 64,
                             kMostRectanglesOfFigure = 4 * kMostRectangles;
CellsForm cells_form(const FigureGrid& figure);

// The factor by which cell images are enlarged, so that a viewer that smooths them blurs only the edges of
// cells: up to 8, less where a figure would have more than four million such pixels, or an image a side of
// more than 32,767.
Index enlargement(const FigureGrid& figure);

// The cells as pixels, each cell a square of `by` x `by`.
struct CellPixels {
  CellPixels(const PlannedCells& cells, Index by);
  PngPixels png() const;  // refers to `pixels`

  Index width, height;
  std::vector<std::uint32_t> pixels;  // row by row, 0x00RRGGBB
};

// The colours of a bar, from top to bottom, as equally spaced stops of a gradient.
std::vector<Color> bar_stops(const PlannedBar& bar);

// The rectangle of a cell in a vector format: it extends by half a pixel to the right and down under its
// neighbours, because viewers show hairlines between adjacent rectangles. Not if lines separate the cells.
Rect joined_cell(const PlannedCells& cells, Index row, Index column);

}  // namespace headlight
