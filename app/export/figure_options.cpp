#include "app/export/figure_options.h"

#include <algorithm>
#include <cmath>

#include "app/export/panel_title.h"
#include "app/figure/paint/font_families.h"
#include "app/figure/plan/figure_sheet.h"
#include "engine/core/error.h"

namespace headlight {
namespace {

constexpr double kPointsPerInch = 72;
constexpr double kLeastSide = 40;  // planned pixels

void check_length(const std::optional<Length>& length, const char* option, const FigureOptions& options) {
  if (!length) return;
  for (const FigureFormat format : {FigureFormat::Png, FigureFormat::Pdf}) {
    const double side = planned_px(*length, options, format);
    if (!(side >= kLeastSide && side <= kLongestSide))
      throw Error("a figure is 11 mm to 5080 mm long, in pixels 40 to 19200 at 96 dpi", option,
                  "choose a size between these");
  }
}

void check_number(double value, double least, double most, const char* option, const char* unit) {
  if (value >= least && value <= most) return;
  const auto whole = [](double number) { return std::to_string(static_cast<int>(number)); };
  throw Error("it is " + whole(least) + " to " + whole(most) + unit, option, "choose a number between these");
}

void check_range(const StageColors& colors, Stage stage) {
  if (colors.range == RangeKind::Logarithmic && !range_allowed(colors.range, stage))
    throw Error(
        std::string(stage_info(stage).name) + " has negative numbers, which a logarithmic range cannot show",
        "range", "choose whole, robust or symmetric");
  const bool finite = std::isfinite(colors.low) && std::isfinite(colors.high);
  if (colors.range == RangeKind::ByHand && !(finite && colors.low < colors.high))
    throw Error("the low end of the range is not below its high end", "range", "give LOW:HIGH, as 0:0.5");
}

}  // namespace

void check_options(const FigureOptions& options, Stage stage) {
  check_number(options.dpi, kLeastDpi, kMostDpi, "dpi", "");
  check_number(options.font_size_pt, kLeastFontSize, kMostFontSize, "font size", " pt");
  check_number(options.decimals, 0, 9, "decimals", "");
  check_length(options.width, "width", options);
  check_length(options.height, "height", options);
  if (options.cell && (options.width || options.height))
    throw Error("the size of the cells and that of the figure are both given", "cell",
                "leave one of them out: cells of one size make figures as large as they need");
  check_range(options.colors, stage);
  if (options.panel_title) check_panel_title(*options.panel_title);
  if (!options.font.empty()) require_font(options.font);
}

FigureStyle figure_style(const FigureOptions& options) {
  StyleKind kind = options.theme;
  if (options.ground == Ground::White) kind = StyleKind::Light;
  if (options.ground == Ground::Dark) kind = StyleKind::Dark;
  FigureStyle style = FigureStyle::of(kind);
  style.label_size_px = style.number_size_px = options.font_size_pt * kPixelsPerInch / kPointsPerInch;
  style.title_size_px = 1.5 * style.label_size_px;
  if (!options.font.empty()) style.fonts = {options.font, options.font};
  return style;
}

double planned_px(const Length& length, const FigureOptions& options, FigureFormat format) {
  switch (length.unit) {
    case LengthUnit::Millimetres:
      return length.value / kMillimetresPerInch * kPixelsPerInch;
    case LengthUnit::Inches:
      return length.value * kPixelsPerInch;
    case LengthUnit::Centimetres:
      return 10 * length.value / kMillimetresPerInch * kPixelsPerInch;
    case LengthUnit::Points:
      return length.value / kPointsPerInch * kPixelsPerInch;
    case LengthUnit::Pixels:
      break;
  }
  return format == FigureFormat::Png ? length.value * kPixelsPerInch / options.dpi : length.value;
}

std::string said(const FigureOptions& options, const std::string& english) {
  const auto words = options.words.find(english);
  return words == options.words.end() ? english : words->second;
}

std::string said_head(const FigureOptions& options, Index head) {
  return said(options, "head") + " " + options.counting.number(head);
}

void apply_options(HeatmapFigure& figure, const FigureOptions& options) {
  const bool many = std::max(figure.tile->values.rows(), figure.tile->values.cols()) > kMostNumbered;
  figure.decimals = options.numbers && (options.many_numbers || !many) ? options.decimals : -1;
  figure.grid_lines = options.grid_lines;
  figure.show_colorbar = options.color_bar;
  figure.percent = options.percent;
  figure.columns_below = options.columns_below;
  figure.selected_row = options.chosen_row;
  const StageColumns columns = stage_info(figure.tile->request.stage).columns;
  figure.selected_column = columns == options.chosen_columns ? options.chosen_column : -1;
  for (std::string* const name : {&figure.row_axis, &figure.column_axis, &figure.bar_title})
    *name = said(options, *name);
  if (!options.axis_names) figure.row_axis = figure.column_axis = figure.bar_title = "";
  if (options.labels) return;
  figure.row_labels.clear();
  figure.column_labels.clear();
}

}  // namespace headlight
