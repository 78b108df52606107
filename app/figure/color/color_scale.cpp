#include "app/figure/color/color_scale.h"

#include <algorithm>
#include <cmath>

namespace headlight {
namespace {

constexpr double kMostDecades = 6;
constexpr double kLeastOfEqualShare = 0.01;

// Ensures low < high: positions and ticks divide by the width.
ColorRange widened(double low, double high) {
  if (high > low) return {low, high};
  const double margin = low == 0 ? 1 : std::abs(low) / 2;
  return {low - margin, low + margin};
}

ColorRange about_zero(double low, double high) {
  const double reach = std::max(std::abs(low), std::abs(high));
  return reach > 0 ? ColorRange{-reach, reach} : ColorRange{-1, 1};
}

// The spread if it is known, else one made from the range: a picture is drawn before its spread arrives.
ValueSpread known_spread(const ValueStatistics& numbers) {
  if (numbers.spread.count > 0 || numbers.range.empty()) return numbers.spread;
  ValueSpread spread;
  spread.low = spread.percentile_2 = numbers.range.low;
  spread.high = spread.percentile_98 = numbers.range.high;
  spread.least_positive = std::max(0.0f, spread.low);
  spread.count = numbers.range.finite;
  return spread;
}

ColorRange logarithmic(const ValueSpread& spread) {
  const double high = spread.high;
  if (spread.count == 0 || !(high > 0)) return {1e-3, 1, true};
  const double least = spread.least_positive > 0 ? spread.least_positive : high / 10;
  const double low = std::max(least, high * std::pow(10.0, -kMostDecades));
  return {low < high ? low : high / 10, high, true};
}

ColorRange automatic_range(const ValueStatistics& numbers) {
  const double high = numbers.range.high;
  if (is_logarithmic(numbers)) {
    const double share = kLeastOfEqualShare / static_cast<double>(numbers.columns);
    return {std::max(std::min(share, high / 10), high * std::pow(10.0, -kMostDecades)), high, true};
  }
  ColorRange range = color_range(numbers.range, ColormapKind::BlueGreen, true);
  if (!numbers.by_value) range.high = std::max(range.high, 1.0);
  return range;
}

ColorRange chosen_range(const ValueStatistics& numbers, const StageColors& colors, Stage stage) {
  const ValueSpread spread = known_spread(numbers);
  const ColormapKind map = colormap_of(colors, stage);
  const bool from_zero = !stage_info(stage).is_signed;
  switch (colors.range) {
    case RangeKind::ByHand:
      return widened(colors.low, colors.high);
    case RangeKind::Logarithmic:
      return logarithmic(spread);
    case RangeKind::Symmetric:
      return spread.count > 0 ? about_zero(spread.low, spread.high) : ColorRange{-1, 1};
    case RangeKind::Robust:
      if (spread.count == 0) break;
      return is_diverging(map) ? about_zero(spread.percentile_2, spread.percentile_98)
                               : widened(spread.percentile_2, spread.percentile_98);
    case RangeKind::Automatic:
      if (!stage_info(stage).is_signed) return automatic_range(numbers);
      break;
    case RangeKind::Whole:
      break;
  }
  ValueRange whole = numbers.range;
  if (spread.count > 0) {
    whole.low = spread.low;
    whole.high = spread.high;
  }
  return color_range(whole, map, from_zero);
}

// Whether some numbers are meant to lie beyond the range.
bool leaves_out(const StageColors& colors) {
  const bool whole = colors.range == RangeKind::Whole || colors.range == RangeKind::Symmetric;
  return colors.range == RangeKind::ByHand || colors.range == RangeKind::Robust ||
         (whole && colors.without_first);
}

}  // namespace

double ColorRange::share(double value) const {
  if (!logarithmic) return (value - low) / (high - low);
  return value > 0 ? std::log(value / low) / std::log(high / low) : -1;
}

double ColorRange::at(double share) const {
  return logarithmic ? low * std::pow(high / low, share) : std::lerp(low, high, share);
}

const std::array<RangeKindInfo, kRangeKindCount>& range_kind_table() {
  static constexpr std::array<RangeKindInfo, kRangeKindCount> kTable = {{
      {RangeKind::Automatic, "auto", "automatic",
       "Of weights: 0 to 100 % for up to 16 keys, so that equal colours are equal weights, and logarithmic "
       "for "
       "more"},
      {RangeKind::Whole, "whole", "whole range", "From the smallest number to the largest"},
      {RangeKind::Robust, "robust", "2 to 98 %",
       "From the 2nd to the 98th percentile: a few extreme numbers do not count"},
      {RangeKind::Symmetric, "symmetric", "about zero", "As far below zero as above it"},
      {RangeKind::Logarithmic, "log", "logarithmic",
       "Each power of ten has the same share of the colours; at most six of them, zero at the low end"},
      {RangeKind::ByHand, "hand", "by hand", "From and to numbers of your own"},
  }};
  return kTable;
}

ColormapKind default_colormap(Stage stage) {
  return stage_info(stage).is_signed ? ColormapKind::PurpleGreen : ColormapKind::BlueGreen;
}

StageColors first_window_colors(Stage stage) {
  StageColors colors;
  if (!stage_info(stage).is_signed) colors.range = RangeKind::Automatic;
  return colors;
}

std::array<StageColors, kStageCount> first_window_colors() {
  std::array<StageColors, kStageCount> colors;
  for (const StageInfo& info : stage_table())
    colors[static_cast<std::size_t>(info.stage)] = first_window_colors(info.stage);
  return colors;
}

ColormapKind colormap_of(const StageColors& colors, Stage stage) {
  return colors.map.value_or(default_colormap(stage));
}

StageColors picture_colors(StageColors colors, Stage stage, const ValueRange& values) {
  const bool positive = !values.empty() && values.low >= 0;
  if (!colors.map && stage_info(stage).is_signed && positive) colors.map = ColormapKind::Green;
  return colors;
}

StageColors difference_colors(const StageColors& colors, Stage stage) {
  StageColors difference;
  const ColormapKind map = colormap_of(colors, stage);
  difference.map = is_diverging(map) ? map : ColormapKind::PurpleGreen;
  difference.range = RangeKind::Symmetric;
  return difference;
}

const std::array<PoolingInfo, 3>& pooling_table() {
  static constexpr std::array<PoolingInfo, 3> kTable = {{
      {Pooling::Mean, "mean", "mean", "What the cells are on average: single large ones grow pale"},
      {Pooling::Max, "max", "largest", "The largest of the cells: none is overlooked"},
      {Pooling::AbsMax, "abs_max", "largest in size", "The cell farthest from zero, with its sign"},
  }};
  return kTable;
}

Pooling default_pooling(Stage stage) {
  return stage_info(stage).is_signed ? Pooling::AbsMax : Pooling::Max;
}

Pooling pooling_of(const StageColors& colors, Stage stage) {
  return colors.pooling.value_or(default_pooling(stage));
}

bool range_allowed(RangeKind kind, Stage stage) {
  const bool of_weights = kind == RangeKind::Logarithmic || kind == RangeKind::Automatic;
  return !of_weights || !stage_info(stage).is_signed;
}

void request_spread(TileRequest& request, const StageColors& colors) {
  const bool fixed = colors.range == RangeKind::ByHand || colors.range == RangeKind::Automatic;
  const bool first = !fixed && colors.without_first && is_pair(request.stage);
  request.spread_begin = first ? 1 : 0;
  request.spread =
      !fixed && (first || colors.range == RangeKind::Robust || colors.range == RangeKind::Logarithmic);
}

bool is_logarithmic(const ValueStatistics& numbers) {
  const ValueRange& range = numbers.range;
  return !range.empty() && range.high > 0 && range.low >= 0 && numbers.columns > kMostLinear;
}

ValueStatistics statistics_of(const Tile& tile) {
  return {tile.range, tile.spread, tile.total_columns, is_by_value(tile.request.content)};
}

ValueRange joined(const ValueRange& a, const ValueRange& b) {
  ValueRange both = a.empty() ? b : a;
  if (!a.empty() && !b.empty()) {
    both.low = std::min(a.low, b.low);
    both.high = std::max(a.high, b.high);
  }
  both.finite = a.finite + b.finite;
  both.nan = a.nan + b.nan;
  both.infinite = a.infinite + b.infinite;
  both.masked = a.masked + b.masked;
  both.dropped = a.dropped + b.dropped;
  both.appeared = a.appeared + b.appeared;
  both.vanished = a.vanished + b.vanished;
  return both;
}

ValueStatistics joined(const ValueStatistics& a, const ValueStatistics& b) {
  ValueStatistics both = {joined(a.range, b.range), a.spread.count > 0 ? a.spread : b.spread,
                          std::max(a.columns, b.columns), a.by_value || b.by_value};
  if (a.spread.count == 0 || b.spread.count == 0) return both;
  ValueSpread& spread = both.spread;
  spread.low = std::min(a.spread.low, b.spread.low);
  spread.high = std::max(a.spread.high, b.spread.high);
  spread.percentile_2 = std::min(a.spread.percentile_2, b.spread.percentile_2);
  spread.percentile_98 = std::max(a.spread.percentile_98, b.spread.percentile_98);
  if (spread.least_positive == 0 ||
      (b.spread.least_positive > 0 && b.spread.least_positive < spread.least_positive))
    spread.least_positive = b.spread.least_positive;
  spread.count += b.spread.count;
  return both;
}

ColorRange color_range(const ValueStatistics& numbers, const StageColors& colors, Stage stage) {
  ColorRange range = chosen_range(numbers, colors, stage);
  if (numbers.range.empty()) return range;
  range.below = numbers.range.low < static_cast<float>(range.low);
  range.above = numbers.range.high > static_cast<float>(range.high);
  range.marked = (range.below || range.above) && leaves_out(colors);
  return range;
}

ColorRange color_range(const ValueRange& values, ColormapKind kind, bool from_zero) {
  // All zeros are at the low end, as zeros are beside larger values.
  if (!values.empty() && values.low == 0 && values.high == 0 && !is_diverging(kind)) return {0, 1};
  if (values.empty()) return is_diverging(kind) ? ColorRange{-1, 1} : ColorRange{0, 1};
  if (is_diverging(kind)) return about_zero(values.low, values.high);
  if (!from_zero) return widened(values.low, values.high);
  const double low = std::min(0.0, double{values.low}), high = std::max(0.0, double{values.high});
  return high > low ? ColorRange{low, high} : ColorRange{0, 1};
}

}  // namespace headlight
