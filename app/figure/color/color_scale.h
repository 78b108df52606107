// The mapping of values to positions on a colour map: the range, linear or logarithmic, and its two ends.
#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "app/figure/color/colormap.h"
#include "engine/views/query.h"

namespace headlight {

struct ColorRange {
  double low = 0, high = 1;
  bool logarithmic = false;           // requires low > 0
  bool below = false, above = false;  // some cells lie beyond this end; they have its colour
  bool marked = false;                // and a mark, because the range was chosen to leave them out
  // The position of a value: 0 at `low`, 1 at `high`, outside [0, 1] beyond them. On a logarithmic scale zero
  // and negative values are at -1.
  double share(double value) const;
  double at(double share) const;  // the inverse of share()
  bool operator==(const ColorRange&) const = default;
};

enum class RangeKind {
  Automatic,    // of weights: 0 to 1, or logarithmic, see is_logarithmic(); of signed stages: Whole
  Whole,        // from the minimum to the maximum; symmetric about zero for diverging maps
  Robust,       // from the 2nd to the 98th percentile: a few extreme values do not count
  Symmetric,    // symmetric about zero
  Logarithmic,  // of the positive values; for stages without negative ones
  ByHand,       // StageColors::low to StageColors::high
};
inline constexpr std::size_t kRangeKindCount = 6;

struct RangeKindInfo {
  RangeKind kind;
  std::string_view id, name, what;  // identifier, name on screen, tooltip
};
const std::array<RangeKindInfo, kRangeKindCount>& range_kind_table();

// The colour settings for the pictures of one stage.
struct StageColors {
  std::optional<ColormapKind> map;  // none: default_colormap
  RangeKind range = RangeKind::Whole;
  bool shared = true;              // one range for all heads, so that they can be compared
  bool without_first = false;      // excludes the first token's column, whose values dwarf the others
  double low = 0, high = 1;        // for ByHand
  std::optional<Pooling> pooling;  // of several values drawn as one cell; none: default_pooling
  bool operator==(const StageColors&) const = default;
};

// The default map of a stage: BlueGreen if unsigned (weights), PurpleGreen if signed. Neither has a colour in
// common with the selection.
ColormapKind default_colormap(Stage stage);
ColormapKind colormap_of(const StageColors& colors, Stage stage);

// The settings with which the window opens: an automatic range for weights, the whole range for signed
// stages.
StageColors first_window_colors(Stage stage);
std::array<StageColors, kStageCount> first_window_colors();

// The colours of a stage's pictures, in the window and in figures. Where no map is chosen, a signed stage
// without a value below zero gets the green half of its map.
StageColors picture_colors(StageColors colors, Stage stage, const ValueRange& values);

// The colours of the difference of two states whose pictures have `colors`: symmetric about zero, with a
// diverging map.
StageColors difference_colors(const StageColors& colors, Stage stage);

struct PoolingInfo {
  Pooling kind;
  std::string_view id, name, what;  // identifier, name on screen, tooltip
};
const std::array<PoolingInfo, 3>& pooling_table();
// The default pooling of a stage: Max if unsigned (weights), AbsMax if signed.
Pooling default_pooling(Stage stage);
Pooling pooling_of(const StageColors& colors, Stage stage);

// False only for a logarithmic range of a signed stage.
bool range_allowed(RangeKind kind, Stage stage);

// Requests the tile's spread if `colors` require it, without the first column if they exclude it.
void request_spread(TileRequest& request, const StageColors& colors);

// The value statistics of a matrix, or of several that share one range.
struct ValueStatistics {
  ValueRange range;
  ValueSpread spread;     // joined(): the lower of the low ends, the higher of the high ones
  Index columns = 0;      // of the whole matrix; 0: unknown
  bool by_value = false;  // weights times |value|: of any size
};
ValueStatistics statistics_of(const Tile& tile);
ValueStatistics joined(const ValueStatistics& a, const ValueStatistics& b);
ValueRange joined(const ValueRange& a, const ValueRange& b);

// An automatic range of weights is from 0 to 1, or to the largest where dropout made it larger: equal colours
// are equal weights, in any state. Rows of more than kMostLinear keys have weights of very different sizes,
// about 1 / keys each: their range is logarithmic, from a hundredth of an equal share to the largest weight.
inline constexpr Index kMostLinear = 16;
bool is_logarithmic(const ValueStatistics& numbers);

// The range that `colors` selects; always low < high. A logarithmic one spans at most six decades.
ColorRange color_range(const ValueStatistics& numbers, const StageColors& colors, Stage stage);

// The whole range: symmetric about zero for diverging maps; with `from_zero`, as for `weights` and `dropped`,
// from 0 to the maximum, or from the minimum where normalising by the sum made it negative; else from minimum
// to maximum. An empty or one-valued range is widened so that low < high.
ColorRange color_range(const ValueRange& values, ColormapKind kind, bool from_zero);

}  // namespace headlight
