// The flow diagram: weights as lines of their strength, from queries at the left to keys at the right. They
// leave and reach the tokens level.
#pragma once

#include <string>
#include <vector>

#include "app/figure/plan/drawing.h"

namespace headlight {

// The weights of one head. Masked and dropped cells have no line.
struct FlowHead {
  std::string name;             // "head 1"
  std::size_t series = 0;       // index of its colour in FigureStyle::series
  Matrix weights;               // queries x keys
  std::vector<CellMark> marks;  // row-major, as weights
  bool off = false;             // switched off: without colour
};
Color color_of(const FlowHead& head, const FigureStyle& style);

struct FlowFigure {
  std::vector<std::string> queries, keys;
  std::vector<FlowHead> heads;
  double strongest = 1;  // the weight of a line at full strength
  // Weaker weights have no line, except the strongest of each query and those of the highlighted token.
  double least = 0;
  // Highlighted: the lines of one query or of one key, with their numbers; both set: one line; -1: none.
  Index query = -1, key = -1;
  std::size_t head = 0;  // index in `heads` of the one highlighted line
  bool percent = false;  // numbers are shares, written as per cent
};

// Whether the lines of all weights together are unreadable, with many tokens or heads; and the least weight
// that then has a line, in figures and at first in the window.
bool is_tangle(const Layer& layer);
inline constexpr double kLeastOfMany = 0.2;

struct FlowPlan {
  struct Line {
    std::size_t head = 0;  // index in FlowFigure::heads
    Index query = 0, key = 0;
    double x1 = 0, y1 = 0, x2 = 0, y2 = 0, strength = 0;  // strength: from 0 to 1
    // At its query, and at its key, where it is narrower if the key's lines would need more than its row.
    double width = 1, to_width = 1;

    Curve path() const { return level_curve({x1, y1}, {x2, y2}); }
  };
  Drawing drawing;
  Rect queries, keys;  // the two columns of tokens, with their numbers
  Rect between;        // the area of the lines
  double pitch = 0;    // from one token to the next
  Index query_count = 0, key_count = 0;
  std::vector<Line> lines;       // the strongest last
  double thickest = 1;           // width of a line at full strength, at its query
  std::size_t lines_hidden = 0;  // weaker lines that are not drawn because there are too many

  // The index of the line nearest to a point, less than `reach` away; -1: none.
  Index line_at(double x, double y, double reach) const;
  Index query_at(double x, double y) const;
  Index key_at(double x, double y) const;
};

// The width in px of a line of that strength at its query, where one at full strength is so thick.
double flow_line_width(double strength, double thickest, const FigureStyle& style);

// The number of tokens that fit below one another in a picture of this height, each with its label.
Index flow_capacity(double height, const FigureStyle& style);

// All tokens are in the picture, whatever its height; labels that would touch another are left out.
FlowPlan plan_flow(const FlowFigure& figure, const FigureStyle& style, double width, double height,
                   const MeasureText& measure);

}  // namespace headlight
