// The options of an exported figure.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "app/figure/color/figure_style.h"
#include "app/figure/paint/figure_file.h"
#include "app/figure/plan/heatmap_figure.h"

namespace headlight {

inline constexpr double kPixelsPerInch = 96, kMillimetresPerInch = 25.4;  // planned pixels

enum class LengthUnit { Pixels, Millimetres, Inches, Centimetres, Points };

struct Length {
  double value = 0;
  LengthUnit unit = LengthUnit::Pixels;  // Pixels: pixels of a PNG, else 1/96 inch
  bool operator==(const Length&) const = default;
};

// White and Dark also select the theme whose text is readable on them.
enum class Ground { Theme, White, Dark, Transparent };

inline constexpr double kLeastDpi = 24, kMostDpi = 2400, kLeastFontSize = 3, kMostFontSize = 96;

struct FigureOptions {
  std::optional<Length> width, height;  // neither: cells of the default size
  std::optional<Length> cell;           // the side of all cells of heatmaps; then neither width nor height
  double dpi = 192;                     // of a PNG
  std::string font;                     // a family for all text; "": Inter, numbers in DejaVu Sans Mono
  double font_size_pt = 9;              // of labels and numbers; the title is 1.5 times as large
  StyleKind theme = StyleKind::Light;
  Ground ground = Ground::Theme;
  StageColors colors;
  // Of the colours of heatmaps, in the place of what `colors` selects for their own numbers: one for all
  // frames of an animation.
  std::optional<ColorRange> range = {};
  int decimals = 4;
  bool percent = false;                        // shares of attention as per cent, else as decimals
  std::string place;                           // of a whole model: "layer 2", in titles; ""
  std::string text;                            // that the model has read, in subtitles; ""
  Counting counting;                           // of heads, tokens and dimensions
  std::optional<std::string> title, subtitle;  // none: the default; "": not shown
  bool labels = true, axis_names = true, color_bar = true, numbers = true;
  bool many_numbers = false;  // numbers in more than kMostNumbered rows and columns too
  GridLines grid_lines = GridLines::WhereRoom;
  std::size_t panel_columns = 0;  // of several heatmaps; 0: chosen to fit the page
  Index layer = 0;                // of a whole model: the value of {layer} in panel titles
  Index first_sequence = 0;       // of arrays of which one sequence is taken alone: its number in the batch
  std::optional<std::string> panel_title;     // template for each heatmap (panel_title.h); none: the default
  Index chosen_row = -1, chosen_column = -1;  // their labels are never left out; -1: none
  StageColumns chosen_columns = StageColumns::Tokens;  // the kind of column that chosen_column is an index of
  bool columns_below = false;                          // column labels are below the cells instead of above
  std::vector<Stage> row_stages;                       // stages of a row diagram; empty: all
  std::map<std::string, std::string> words = {};       // in the place of English ones, see said()
  bool kept_and_now = false;  // a comparison calls its states "kept" and "now", not "A" and "B"
  bool operator==(const FigureOptions&) const = default;
};

// Throws Error that names the option: a size, dpi, font size or number of decimals out of bounds, an unknown
// font, a range that is empty or does not suit the stage, an invalid panel title.
void check_options(const FigureOptions& options, Stage stage);

FigureStyle figure_style(const FigureOptions& options);

// The length in planned pixels.
double planned_px(const Length& length, const FigureOptions& options, FigureFormat format);

// The options' own words for these English ones, which a figure writes by itself: titles of stages, "head",
// names of axes and colour bars, kHiddenByMask. Those that have none stay.
std::string said(const FigureOptions& options, const std::string& english);
// The options' own words for head_name().
std::string said_head(const FigureOptions& options, Index head);

// Sets decimals, lines, colour bar, labels and selection of the figure as the options require.
void apply_options(HeatmapFigure& figure, const FigureOptions& options);

}  // namespace headlight
