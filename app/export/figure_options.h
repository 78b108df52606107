// What may be chosen of a figure that is saved, beside the numbers in it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/figure/color/figure_style.h"
#include "app/figure/paint/figure_file.h"
#include "app/figure/plan/heatmap_figure.h"

namespace headlight {

inline constexpr double kPixelsPerInch = 96, kMillimetresPerInch = 25.4;  // of a figure

enum class LengthUnit { Pixels, Millimetres, Inches };

struct Length {
  double value = 0;
  LengthUnit unit = LengthUnit::Pixels;  // of a PNG its own pixels, else 1/96 inch
  bool operator==(const Length&) const = default;
};

// White and dark choose the theme as well, on which text can be read.
enum class Ground { Theme, White, Dark, Transparent };

inline constexpr double kLeastDpi = 24, kMostDpi = 2400, kLeastFontSize = 3, kMostFontSize = 96;

struct FigureOptions {
  std::optional<Length> width, height;  // neither: cells of a comfortable size
  double dpi = 192;                     // of a PNG
  std::string font;                     // a family for all text; "": Inter, numbers in DejaVu Sans Mono
  double font_size_pt = 9;              // of labels and numbers; the title is half as large again
  StyleKind theme = StyleKind::Light;
  Ground ground = Ground::Theme;
  StageColors colors;
  int decimals = 4;
  Counting counting;                           // of heads, tokens and dimensions
  std::optional<std::string> title, subtitle;  // none: the figure's own; "": not shown
  bool labels = true, axis_names = true, color_bar = true, numbers = true;
  GridLines grid_lines = GridLines::WhereRoom;
  std::size_t panel_columns = 0;              // of several heatmaps; 0: as suits the page
  Index layer = 0;                            // of a whole model: what {layer} is in the panels' titles
  std::optional<std::string> panel_title;     // of each heatmap, see panel_title.h; none: the figure's own
  Index chosen_row = -1, chosen_column = -1;  // whose labels stay, whichever give way; -1: none
  StageColumns chosen_columns = StageColumns::Tokens;  // what the kept column is one of
  bool columns_below = false;     // the labels of the columns, instead of above the cells
  std::vector<Stage> row_stages;  // of a row, in its order, some that it has; empty: all
  bool operator==(const FigureOptions&) const = default;
};

// Throws Error that names the option: a size, dpi or font size out of bounds, an unknown font, a range that
// is empty or that the stage cannot have, a panel title that names something unknown.
void check_options(const FigureOptions& options, Stage stage);

FigureStyle figure_style(const FigureOptions& options);

// The length in planned pixels.
double planned_px(const Length& length, const FigureOptions& options, FigureFormat format);

// Takes out of the figure what is not requested for, and puts in what is.
void apply_options(HeatmapFigure& figure, const FigureOptions& options);

}  // namespace headlight
