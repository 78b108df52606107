// Paints a plan with Cairo and Pango into the pixels of a PNG.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "app/figure/paint/png_file.h"
#include "app/figure/plan/figure_grid.h"
#include "app/figure/plan/heatmap_plan.h"

namespace headlight {

// Measures with the fonts that figures are drawn with. The function remembers every width it was asked for,
// by text, size and face. For use on one thread.
MeasureText pango_measure(const FigureFonts& fonts = {});

// The plan at `scale` device pixels per planned pixel, as the bytes of a PNG. Same plan, same bytes.
// Throws Error when the picture would be larger than 32,767 pixels on a side.
std::string png_bytes(const HeatmapPlan& plan, double scale);
std::string png_bytes(const FigureGrid& grid, double scale, const PngNotes& notes = {});

// The same picture as pixels for a screen, from top to bottom; opacity is not multiplied into the colours.
struct FigurePixels {
  int width = 0, height = 0;
  std::vector<Color> pixels;
};
FigurePixels figure_pixels(const FigureGrid& grid, double scale);

// png_bytes written atomically. Throws Error.
void save_png(const HeatmapPlan& plan, double scale, const std::filesystem::path& path);
void save_png(const FigureGrid& grid, double scale, const std::filesystem::path& path);

}  // namespace headlight
