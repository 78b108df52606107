#include "app/figure/paint/painter.h"

#include <algorithm>
#include <cmath>

namespace headlight {
namespace {

constexpr double kOverlap = 0.5;
constexpr double kMostEnlarged = 8, kMostPixels = 1 << 22;
constexpr double kLongestSide = 32767;    // of an image, in pixels; the limit of Cairo
constexpr std::size_t kStopDistance = 5;  // bar colours from one gradient stop to the next

std::size_t cell_count(const FigureGrid& figure) {
  std::size_t count = 0;
  for (const PlacedPlan& placed : figure.plans)
    count += placed.plan.cells.colors.size();
  return count;
}

}  // namespace

void paint(const HeatmapPlan& plan, Point at, Painter& painter) {
  if (plan.cells.rows > 0 && plan.cells.columns > 0) painter.cells(plan.cells, at);
  for (const PlannedLine& line : plan.lines)
    painter.line(line, at);
  // Over the lines between the cells: a hatched region is one.
  if (!plan.hatching.segments.empty()) painter.hatching(plan.hatching, at);
  for (const PlannedBox& box : plan.boxes)
    painter.box(box, at);
  for (const PlannedBar& bar : plan.bars) {
    painter.bar(bar, at);
    if (bar.top_tip_px > 0) painter.triangle(bar.top_tip(), bar.colors.front(), at);
    if (bar.bottom_tip_px > 0) painter.triangle(bar.bottom_tip(), bar.colors.back(), at);
  }
  for (const PlannedBar& strip : plan.strips) {
    const double step = strip.rect.height / static_cast<double>(strip.colors.size());
    for (std::size_t i = 0; i < strip.colors.size(); ++i)
      painter.fill({{strip.rect.x, strip.rect.y + static_cast<double>(i) * step, strip.rect.width, step},
                    strip.colors[i]},
                   at);
  }
  for (const PlannedText& text : plan.texts)
    painter.text(text, at);
}

void paint(const Drawing& drawing, Point at, Painter& painter) {
  for (const PlannedFill& fill : drawing.fills)
    painter.fill(fill, at);
  if (!drawing.hatching.segments.empty()) painter.hatching(drawing.hatching, at);
  for (const PlannedBand& band : drawing.bands)
    painter.band(band, at);
  for (const PlannedCurve& curve : drawing.curves)
    painter.curve(curve, at);
  for (const PlannedLine& stroke : drawing.strokes)
    painter.stroke(stroke, at);
  for (const PlannedLine& line : drawing.lines)
    painter.line(line, at);
  for (const PlannedBox& box : drawing.boxes)
    painter.box(box, at);
  for (const PlannedTriangle& t : drawing.triangles)
    painter.triangle({{{t.x1, t.y1}, {t.x2, t.y2}, {t.x3, t.y3}}}, t.color, at);
  for (const PlannedDot& dot : drawing.dots)
    painter.dot(dot, at);
  for (const PlannedText& text : drawing.texts)
    painter.text(text, at);
}

void paint(const FigureGrid& figure, Painter& painter) {
  for (const PlacedPlan& placed : figure.plans)
    paint(placed.plan, {placed.x, placed.y}, painter);
  for (const PlacedDrawing& placed : figure.drawings)
    paint(placed.drawing, {placed.x, placed.y}, painter);
  for (const PlannedText& text : figure.texts)
    painter.text(text, {});
}

double text_start(const PlannedText& text, double width) {
  return text.anchor == Anchor::Start ? 0 : text.anchor == Anchor::Middle ? -width / 2 : -width;
}

CellsForm cells_form(const FigureGrid& figure) {
  for (const PlacedPlan& placed : figure.plans)
    if (placed.plan.cells.colors.size() > kMostRectangles) return CellsForm::Image;
  return cell_count(figure) > kMostRectanglesOfFigure ? CellsForm::Image : CellsForm::Rectangles;
}

Index enlargement(const FigureGrid& figure) {
  const double cells = static_cast<double>(std::max<std::size_t>(cell_count(figure), 1));
  Index longest = 1;
  for (const PlacedPlan& placed : figure.plans)
    longest = std::max({longest, placed.plan.cells.rows, placed.plan.cells.columns});
  const double most = std::min(std::sqrt(kMostPixels / cells), kLongestSide / static_cast<double>(longest));
  return static_cast<Index>(std::clamp(most, 1.0, kMostEnlarged));
}

CellPixels::CellPixels(const PlannedCells& cells, Index by)
    : width(cells.columns * by), height(cells.rows * by), pixels(static_cast<std::size_t>(width * height)) {
  auto to = pixels.begin();
  for (Index row = 0; row < cells.rows; ++row) {
    const auto first = to;
    for (Index column = 0; column < cells.columns; ++column) {
      const Color color = cells.colors[static_cast<std::size_t>(row * cells.columns + column)];
      to = std::fill_n(to, by, std::uint32_t{color.r} << 16 | std::uint32_t{color.g} << 8 | color.b);
    }
    for (Index copy = 1; copy < by; ++copy)
      to = std::copy_n(first, width, to);
  }
}

PngPixels CellPixels::png() const {
  return {static_cast<int>(width), static_cast<int>(height), static_cast<std::ptrdiff_t>(width),
          pixels.data(), false};
}

std::vector<Color> bar_stops(const PlannedBar& bar) {
  std::vector<Color> stops;
  const std::size_t last = bar.colors.size() - 1;
  const std::size_t count = std::max<std::size_t>(last / kStopDistance, 1);
  for (std::size_t i = 0; i <= count; ++i)
    stops.push_back(bar.colors[i * last / count]);
  return stops;
}

Rect joined_cell(const PlannedCells& cells, Index row, Index column) {
  const double width = cells.rect.width / static_cast<double>(cells.columns);
  const double height = cells.rect.height / static_cast<double>(cells.rows);
  const double overlap = cells.separated ? 0 : kOverlap;
  return {cells.rect.x + width * static_cast<double>(column),
          cells.rect.y + height * static_cast<double>(row),
          width + (column + 1 < cells.columns ? std::min(overlap, width) : 0),
          height + (row + 1 < cells.rows ? std::min(overlap, height) : 0)};
}

}  // namespace headlight
