// Curves of a drawing in files: where their ink is, and their form in SVG.
#include "app/figure/paint/cairo_painter.h"
#include "app/figure/paint/pdf_painter.h"
#include "app/figure/paint/svg_painter.h"
#include "tests/app/figure/figure_support.h"
#include "tests/app/figure/pixels.h"
#include "tests/support/catch.h"

using namespace headlight;
using namespace headlight_test;

namespace {

constexpr Color kInk = {200, 30, 60, 255};
constexpr Point kPlace = {20, 30};  // of the drawing in its figure

FigureGrid figure_with(const Drawing& drawing) {
  FigureGrid figure;
  figure.width = 640;
  figure.height = 700;
  figure.background = {255, 255, 255, 255};
  figure.drawings.push_back({kPlace.x, kPlace.y, drawing});
  return figure;
}

FigureGrid figure_with(const PlannedCurve& curve) {
  Drawing drawing;
  drawing.curves.push_back(curve);
  return figure_with(drawing);
}

FigureGrid figure_with(const PlannedBand& band) {
  Drawing drawing;
  drawing.bands.push_back(band);
  return figure_with(drawing);
}

bool inked(const Pixels& pixels, const Point& at, double scale) {
  const Color color =
      pixels.at(static_cast<int>((kPlace.x + at.x) * scale), static_cast<int>((kPlace.y + at.y) * scale));
  return color.g < 128;
}

}  // namespace

TEST_CASE("curves: the pixels of a file have ink on the curve and none beside it, through all its bands") {
  const Curve path = level_curve({10, 20}, {560, 620});
  for (const double scale : {1.0, 2.0}) {
    const Pixels pixels(png_bytes(figure_with(PlannedCurve{path, 6, kInk}), scale));
    for (double t = 0.01; t < 1; t += 0.01) {
      INFO(t << " at scale " << scale);
      const Point on = point_on(path, t);
      CHECK(inked(pixels, on, scale));
      CHECK_FALSE(inked(pixels, {on.x + 30, on.y - 30}, scale));
    }
    CHECK_FALSE(inked(pixels, {path.from.x - 2, path.from.y}, scale));  // cut off at its end
    CHECK_FALSE(inked(pixels, {path.to.x + 2, path.to.y}, scale));
  }
}

TEST_CASE("curves: a dashed one has gaps as long as its dashes") {
  const Curve path = straight_curve({0, 50}, {400, 50});
  const Pixels pixels(png_bytes(figure_with(PlannedCurve{path, 6, kInk, 10}), 1));
  for (int i = 0; i < 40; ++i)
    CHECK(inked(pixels, {10.0 * i + 5, 50}, 1) == (i % 2 == 0));
}

TEST_CASE("curves: in SVG each is one path with its control points, and PDF has them too") {
  const Curve path = level_curve({10, 20}, {110, 220});
  const std::string svg = svg_text(figure_with(PlannedCurve{path, 6, kInk, 7}), CellsForm::Rectangles, {});
  CHECK_THAT(svg,
             ContainsSubstring("<path d=\"M30 50C80 50 80 250 130 250\" fill=\"none\" stroke=\"#c81e3c\" "
                               "stroke-width=\"6\" stroke-dasharray=\"7\"/>"));
  const std::string level = svg_text(figure_with(PlannedCurve{level_curve({10, 20}, {110, 20}), 6, kInk}),
                                     CellsForm::Rectangles, {});
  CHECK_THAT(level, ContainsSubstring("<path d=\"M30 50L130 50\""));
  const std::string curved = pdf_bytes(figure_with(PlannedCurve{path, 6, kInk}), CellsForm::Rectangles, {}),
                    straight =
                        pdf_bytes(figure_with(PlannedCurve{straight_curve(path.from, path.to), 6, kInk}),
                                  CellsForm::Rectangles, {});
  CHECK(curved != straight);
}

TEST_CASE("bands: the pixels of a file are inked across the width of each end, which is cut off upright") {
  const Curve path = level_curve({10, 100}, {560, 620});
  const Pixels pixels(png_bytes(figure_with(PlannedBand{path, 40, 8, kInk}), 1));
  for (const auto& [x, y, reach] : {std::tuple(12.0, 100.0, 20.0), std::tuple(557.0, 620.0, 4.0)}) {
    CHECK(inked(pixels, {x, y - reach + 2}, 1));
    CHECK(inked(pixels, {x, y + reach - 2}, 1));
    CHECK_FALSE(inked(pixels, {x, y - reach - 2}, 1));
    CHECK_FALSE(inked(pixels, {x, y + reach + 2}, 1));
  }
  CHECK_FALSE(inked(pixels, {8, 100}, 1));
  CHECK_FALSE(inked(pixels, {562, 620}, 1));
  for (double t = 0.01; t < 1; t += 0.01)
    CHECK(inked(pixels, point_on(path, t), 1));
  const std::string svg = svg_text(figure_with(PlannedBand{level_curve({10, 20}, {110, 20}), 8, 8, kInk}),
                                   CellsForm::Rectangles, {});
  CHECK_THAT(svg, ContainsSubstring("<path d=\"M30 46L130 46L130 54L30 54Z\" fill=\"#c81e3c\"/>"));
  const std::string pdf = pdf_bytes(figure_with(PlannedBand{path, 40, 8, kInk}), CellsForm::Rectangles, {});
  CHECK(pdf != pdf_bytes(figure_with(PlannedCurve{path, 40, kInk}), CellsForm::Rectangles, {}));
}
