// How numbers become places on a colour map: which range, linear or logarithmic, and what lies beyond it.
#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "app/figure/color/colormap.h"
#include "engine/views/query.h"

namespace headlight {

struct ColorRange {
  double low = 0, high = 1;
  bool logarithmic = false;           // low is positive then
  bool below = false, above = false;  // some cells lie beyond this end; they have its colour
  // Where a number stands: 0 at `low`, 1 at `high`, outside beyond them. On a logarithmic scale zero and
  // negative numbers stand below everything.
  double share(double value) const;
  double at(double share) const;  // the number that stands there
  bool operator==(const ColorRange&) const = default;
};

enum class RangeKind {
  Whole,        // from the smallest to the largest number; about zero for diverging maps
  Robust,       // from the 2nd to the 98th percentile: a few extreme numbers do not count
  Symmetric,    // as far below zero as above
  Logarithmic,  // of what is positive: for weights
  ByHand,
};
inline constexpr std::size_t kRangeKindCount = 5;

struct RangeKindInfo {
  RangeKind kind;
  std::string_view id, name, what;  // for the probe, on screen, in a tooltip
};
const std::array<RangeKindInfo, kRangeKindCount>& range_kind_table();

// How the pictures of one stage are coloured.
struct StageColors {
  std::optional<ColormapKind> map;  // none: the stage's own
  RangeKind range = RangeKind::Whole;
  bool shared = true;              // one range for all heads, so that they can be compared
  bool without_first = false;      // the first token's column does not count: it drowns the others
  double low = 0, high = 1;        // ByHand
  std::optional<Pooling> pooling;  // of several cells drawn as one; none: the stage's own
  bool operator==(const StageColors&) const = default;
};

// Viridis for weights, diverging for stages of both signs.
ColormapKind own_colormap(Stage stage);
ColormapKind colormap_of(const StageColors& colors, Stage stage);

// What the window shows where no map is chosen: colours that no datum shares with the selection. Viridis for
// weights, purple to green for numbers of both signs, green where a signed stage has none below zero.
// Exported figures keep the stage's own map.
StageColors window_colors(StageColors colors, Stage stage, const ValueRange& values);

struct PoolingInfo {
  Pooling kind;
  std::string_view id, name, what;  // for the probe, on screen, in a tooltip
};
const std::array<PoolingInfo, 3>& pooling_table();
// The largest of weights, the largest in size of stages of both signs.
Pooling own_pooling(Stage stage);
Pooling pooling_of(const StageColors& colors, Stage stage);

// Logarithmic is for the stages that have no negative numbers.
bool range_suits(RangeKind kind, Stage stage);

// Adds what the colours need to know of the matrix, and nothing that they do not.
void ask_spread(TileRequest& request, const StageColors& colors);

// The numbers of a matrix, or of several that share one range.
struct ShownNumbers {
  ValueRange range;
  ValueSpread spread;  // of two matrices joined: the lower of the low ends, the higher of the high ones
};
ShownNumbers joined(const ShownNumbers& a, const ShownNumbers& b);
ValueRange joined(const ValueRange& a, const ValueRange& b);

// The range that is chosen. It always has a width. A logarithmic one spans at most six decades below its
// largest number.
ColorRange color_range(const ShownNumbers& numbers, const StageColors& colors, Stage stage);

// The whole range of a map: symmetric about zero for diverging maps; `from_zero` as for `weights` and
// `dropped`: from 0 to the largest value, or from the smallest, where normalising by the sum made it
// negative. An empty or one-valued range is widened so that it has a width.
ColorRange color_range(const ValueRange& values, ColormapKind kind, bool from_zero);

}  // namespace headlight
