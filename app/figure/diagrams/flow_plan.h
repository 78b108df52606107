// Attention as lines from the queries at the left to the keys at the right, as strong as their weights.
#pragma once

#include <string>
#include <vector>

#include "app/figure/plan/drawing.h"

namespace headlight {

// The weights of one head: a row for each query, a column for each key. Masked and dropped cells have no
// line.
struct FlowHead {
  std::string name;        // "head 1"
  std::size_t series = 0;  // its colour
  Matrix weights;
  std::vector<CellMark> marks;  // row-major, as weights
};

struct FlowFigure {
  std::vector<std::string> queries, keys;
  std::vector<FlowHead> heads;
  double strongest = 1;  // the weight of a line at full strength
  // Weaker weights have no line, but for the strongest of each query and those of the token that stands out.
  double least = 0;
  // What stands out: the lines of one query or of one key, with their numbers, or one line; -1: none.
  Index query = -1, key = -1;
  std::size_t head = 0;  // among `heads`, of the one line
};

struct FlowPlan {
  struct Line {
    std::size_t head = 0;  // among the figure's
    Index query = 0, key = 0;
    double x1 = 0, y1 = 0, x2 = 0, y2 = 0, strength = 0;  // strength: from 0 to 1
  };
  Drawing drawing;
  Rect queries, keys;  // the two columns of tokens, with their numbers
  Rect between;        // where the lines are
  double pitch = 0;    // from one token to the next
  Index query_count = 0, key_count = 0;
  std::vector<Line> lines;       // the strongest last
  std::size_t lines_hidden = 0;  // weaker ones that are not drawn: there would be too many

  // The line nearest to a point, at most `reach` away; -1: none.
  Index line_at(double x, double y, double reach) const;
  Index query_at(double x, double y) const;
  Index key_at(double x, double y) const;
};

// How many tokens fit below one another in a picture of this height, each with its label.
Index flow_capacity(double height, const FigureStyle& style);

// All tokens are in the picture, however low it is; those that would touch another have no label.
FlowPlan plan_flow(const FlowFigure& figure, const FigureStyle& style, double width, double height,
                   const MeasureText& measure);

}  // namespace headlight
