// One query's way through the stages, as bars: a line of bars for each stage, one column for each key.
#pragma once

#include <string>
#include <vector>

#include "app/figure/plan/drawing.h"
#include "engine/views/query.h"

namespace headlight {

// The stages that a row goes through: those of pairs that the model has.
std::vector<Stage> row_stages(const Model& model);

// The bars of one stage.
struct RowBars {
  std::string name, note;       // "weights"; "Σ 1.0000", may be empty
  std::vector<float> values;    // one for each column
  std::vector<CellMark> marks;  // masked ones are hatched, dropped ones outlined
  std::vector<float> before;    // how high a dropped one stood; may be empty
  ColorRange range;             // of the values; zero is always shown
};

struct RowFigure {
  std::vector<RowBars> stages;
  std::vector<std::string> labels;  // of the keys: one for each column
  Index chosen = -1, pointed = -1;  // columns that stand out
  std::size_t series = 0;           // the colour of the bars
  bool numbers = true;     // on the bars; where they have no room the tallest bars have token and number
  bool value_axis = true;  // with ticks, at the left of each line of bars that has room for it
  int decimals = 4;
};

// The bars of one row in several stages, in their order and of equally many columns; `keys` are the labels of
// those attended to. Stages that only differ by the mask or by dropout share one scale.
RowFigure bars_of_row(const std::vector<const RowSummary*>& rows, const std::vector<std::string>& keys,
                      int decimals);
// The first key that a column of the row stands for.
Index first_key(const RowSummary& row, Index column);

struct RowPlan {
  Drawing drawing;
  Rect columns;             // all columns, from the first line of bars to the last
  std::vector<Rect> lanes;  // of each stage, as wide as the columns
  Index column_count = 0;

  struct Slot {
    Index stage = -1, column = -1;
  };
  Slot slot_at(double x, double y) const;
  // Where a column crosses a line of bars.
  Rect slot_rect(Index stage, Index column) const;
};

RowPlan plan_row(const RowFigure& figure, const FigureStyle& style, double width, double height,
                 const MeasureText& measure);

}  // namespace headlight
