// HeatmapPlan: the layout of a heatmap, computed once and drawn the same on screen and in files.
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/figure/color/figure_style.h"
#include "app/figure/plan/heatmap_figure.h"

namespace headlight {

struct Rect {
  double x = 0, y = 0, width = 0, height = 0;
  double right() const { return x + width; }
  double bottom() const { return y + height; }
  bool operator==(const Rect&) const = default;
};
struct Point {
  double x = 0, y = 0;
};
inline Rect outset(const Rect& r, double by) {
  return {r.x - by, r.y - by, r.width + 2 * by, r.height + 2 * by};
}

// Whether the interiors of two rectangles meet, apart from rounding.
inline bool overlap(const Rect& a, const Rect& b) {
  constexpr double kRounding = 1e-6;
  return a.x + kRounding < b.right() && b.x + kRounding < a.right() && a.y + kRounding < b.bottom() &&
         b.y + kRounding < a.bottom();
}

enum class FontFace { Text, Number };  // Number: monospaced
enum class Anchor { Start, Middle, End };

struct PlannedText {
  std::string text;
  double x = 0, y = 0;  // the anchor; vertically the middle of a capital letter
  double size_px = 12;
  double angle_deg = 0;  // counter-clockwise about the anchor; 0, 45 or 90
  FontFace face = FontFace::Text;
  Anchor anchor = Anchor::Start;
  Color color;
};
struct PlannedLine {
  double x1 = 0, y1 = 0, x2 = 0, y2 = 0, width = 1;
  Color color;
};
// rows x columns coloured cells that fill `rect`. Painters draw rectangles or one nearest-neighbour image.
struct PlannedCells {
  Rect rect;
  Index rows = 0, columns = 0;
  std::vector<Color> colors;  // row-major
  bool separated = false;     // lines are drawn between the cells
};
struct PlannedBar {  // the colour bar: top is high
  Rect rect;
  std::vector<Color> colors;                 // from top to bottom
  double top_tip_px = 0, bottom_tip_px = 0;  // height of the pointed end beyond the frame; 0: it is square
  // The corners in the order left, right, tip.
  std::array<Point, 3> top_tip() const;
  std::array<Point, 3> bottom_tip() const;
};
struct PlannedBox {  // an outlined rectangle: a dropped cell, the frame
  Rect rect;         // the outline lies inside it
  double width = 1;
  Color color;
};

// Diagonals over the cells that the mask forbids (hatching.h). One colour and width, so that a file holds
// them all as one path.
struct PlannedHatching {
  std::vector<std::array<Point, 2>> segments;
  double width = 1;
  Color color;
};

// The texts around the cells. A small picture has fewer.
struct PlanDetail {
  bool axis_names = true, labels = true;
  double max_label_px = 140;  // longer labels lose their middle
  bool operator==(const PlanDetail&) const = default;
};

// Painted in this order: background, cells, lines, hatching, boxes, bars, strips, texts.
struct HeatmapPlan {
  double width = 0, height = 0;
  PlanDetail detail;
  Color background;
  PlannedCells cells;
  PlannedHatching hatching;
  std::vector<PlannedBox> boxes;
  std::vector<PlannedLine> lines;
  std::vector<PlannedText> texts;
  std::vector<PlannedBar> bars;
  std::vector<PlannedBar> strips;  // columns beside the cells, as high, one colour for each row: the sink's
  Index row_labels = 0, column_labels = 0;  // how many are drawn
  double labels_x = 0, labels_y = 0;  // the ends of the axes' names, where row and column labels may begin
  bool numbers = false;               // cells show their numbers

  // The cell under a point, or -1, -1.
  struct Cell {
    Index row = -1, column = -1;
  };
  Cell cell_at(double x, double y) const;
  Rect cell_rect(Index row, Index column) const;
};

// The width and height of a line of text in pixels, as the painter draws it.
struct TextSize {
  double width = 0, height = 0;
};
using MeasureText = std::function<TextSize(const std::string& text, double size_px, FontFace face)>;

struct PlanLimits {
  // Either a fixed picture (width and height > 0: cells take what is left) or fixed cells (cell_px > 0: the
  // picture takes what it needs).
  double width = 0, height = 0;
  double cell_px = 0;
  double cell_height_px = 0;  // of fixed cells that are not square
  double max_cell_px = 64;    // of a fixed picture
  double wide_cell_px = 0;    // cells high enough for a number may be wider than high, up to this width
  double tall_cell_px =
      0;  // cells of words may be higher than wide, up to this height: words then read upwards
  double named_row_px = 0;  // cells may be higher than wide, up to this height: that of a row with its name
  double padding_px = 0;
  double max_label_px = 140;
  std::optional<PlanDetail> detail;  // the most detail; none: by show_labels and max_label_px
  double max_header_px = 480;        // a picture of fixed cells grows no wider than this for its title
  double pixel = 1;                  // cell sizes are rounded down to multiples of this if they exceed it
  double min_cells_top = 0;          // least y of the cells, to align the pictures of a row
  bool show_title = true;            // false in the window, which draws titles itself
  bool show_labels = true;
  bool contents = true;  // false: only the places of the parts, to try a layout; nothing is drawn
};

// The size of the picture that plan_heatmap makes for fixed cells, without its contents.
struct PlanSize {
  double width = 0, height = 0;
  double cells_x = 0, cells_y = 0;  // the top left corner of the cells
};
PlanSize heatmap_size(const HeatmapFigure& figure, const FigureStyle& style, const PlanLimits& limits,
                      const MeasureText& measure);

HeatmapPlan plan_heatmap(const HeatmapFigure& figure, const FigureStyle& style, const PlanLimits& limits,
                         const MeasureText& measure);

}  // namespace headlight
