// The window between two states: what of the earlier one is still seen, and where what both have stands, at a
// time. Computed, not painted; no Dear ImGui.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/figure/plan/heatmap_plan.h"

namespace headlight {

// Seconds from one state to the other: of a picture, of a mask, and of the words.
inline constexpr double kChangeSeconds = 0.18, kMaskSeconds = 0.36, kWordsSeconds = 0.32;

// A line through points: a cell and a bar are short ones as wide as they are high, from left to right.
struct Stroke {
  std::vector<Point> path;  // at least two points
  double width = 1;
};
Stroke stroke_of(const Rect& rect);
// The corners of the stroke's outline: along one side and back along the other.
std::vector<Point> outline_of(const Stroke& stroke);

struct ShownWord {
  std::string text;
  Rect place;
  double type_px = 0;  // the em
};

// Which cells a mask forbids, row by row.
struct ShownMask {
  Index rows = 0, columns = 0;
  std::vector<bool> forbidden;
  bool operator==(const ShownMask&) const = default;
};

// What is in the window, in its pixels. What a state lacks does not move.
struct ScreenState {
  Rect cells;                  // of the heatmaps, all together; empty: there are none
  std::optional<Stroke> pair;  // of the chosen query and key: its cell, its line or its bar
  ShownMask mask;
  std::vector<ShownWord> words;
};

// A move with a stretch: x becomes x * x_scale + x_shift.
struct Placement {
  double x_scale = 1, x_shift = 0, y_scale = 1, y_shift = 0;
  Point of(Point p) const { return {p.x * x_scale + x_shift, p.y * y_scale + y_shift}; }
  bool rests() const { return x_scale == 1 && x_shift == 0 && y_scale == 1 && y_shift == 0; }
};

// The move that brings one rectangle onto another. Precondition: the first one is not empty.
Placement placement(const Rect& from, const Rect& to);

struct MovingWord {
  std::string text;
  Point at;  // its top left corner
  double type_px = 0, opacity = 1;
};

// What is drawn at a time.
struct ScreenMoment {
  double earlier = 0;  // opacity of the earlier picture, which lies over the later one
  Placement earlier_at, later_at;
  std::optional<Stroke> pair;  // on its way; nullopt: it rests
  std::vector<double>
      masks;  // opacity of each cell of the earlier picture, row by row; empty: no mask changes
  std::vector<MovingWord> words;
};

// Continuous in `seconds`: at 0 the state before, from the longest of the times above on the state after.
//
// Pictures cross-fade, while their cells with all labels slide from the earlier place to the later one, if
// neither side changes to more than twice or less than half its length. A mask that forbids more cells grows
// from the diagonal to the far corner, one diagonal after another, and one that forbids fewer shrinks the
// other way. Words that are the same at the same place in the text travel; others move with the line as a
// whole and fade.
ScreenMoment screen_at(const ScreenState& before, const ScreenState& after, double seconds);

}  // namespace headlight
