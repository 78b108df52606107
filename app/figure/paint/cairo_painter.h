// Paints a plan with Cairo and Pango into the pixels of a PNG.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "app/figure/paint/png_file.h"
#include "app/figure/plan/figure_grid.h"
#include "app/figure/plan/heatmap_plan.h"

namespace headlight {

// Measures text with the fonts that figures are drawn with. The function caches widths by text, size and face
// and must be used on one thread.
MeasureText pango_measure(const FigureFonts& fonts = {});

// The bytes of a PNG with `scale` device pixels per planned pixel. Equal plans give equal bytes. Throws Error
// if a side would exceed 32,767 pixels or the pixels do not fit in memory.
std::string png_bytes(const HeatmapPlan& plan, double scale);
std::string png_bytes(const FigureGrid& grid, double scale, const PngNotes& notes = {});

// A figure as pixels for a screen, in rows from top to bottom; not premultiplied by opacity.
struct FigurePixels {
  int width = 0, height = 0;
  std::vector<Color> pixels;
};
FigurePixels figure_pixels(const FigureGrid& grid, double scale);
std::string png_bytes(const FigurePixels& pixels);

// Writes png_bytes() atomically. Throws Error.
void save_png(const HeatmapPlan& plan, double scale, const std::filesystem::path& path);
void save_png(const FigureGrid& grid, double scale, const std::filesystem::path& path);

}  // namespace headlight
