// The row diagram: one query's row in each stage, as a lane of bars with a column for each key.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/figure/plan/drawing.h"
#include "engine/views/query.h"

namespace headlight {

// The query by key stages of the layer, in the order of computation.
std::vector<Stage> row_stages(const Layer& layer);

// The bars of one stage.
struct RowBars {
  std::string name, note;       // "weights"; "Σ 100 %", may be empty
  std::size_t row = 0;          // its row, of those that bars_of_row was given
  bool share = false;           // of one whole: a high lane with an axis from none to all
  std::vector<float> values;    // one for each column
  std::vector<CellMark> marks;  // masked ones are hatched, dropped ones outlined
  std::vector<float> before;    // the values before dropout, outlined for dropped ones; may be empty
  ColorRange range;             // of the values; zero is always shown
};

struct RowFigure {
  std::vector<RowBars> stages;
  std::vector<std::string> labels;  // of the keys: one for each column
  Index chosen = -1, pointed = -1;  // highlighted columns
  bool off = false;                 // of a head that is switched off: without colour
  bool numbers = true;              // on the bars; if they have no room, token and number at the tallest bars
  bool value_axis = true;           // with ticks, at the left of each lane that has room for it
  int decimals = 4;                 // of shares; of other numbers at most two
  bool percent = false;             // shares are written as per cent
};

// Which rows of a figure are drawn: those that differ from the one before, or all.
enum class RowsShown { Different, All };

// The bars of one row in several stages, in their order and with equally many columns. `keys`: the labels of
// all keys. Stages that differ only by the mask or by dropout share one scale.
RowFigure bars_of_row(const std::vector<const RowSummary*>& rows, const std::vector<std::string>& keys,
                      int decimals, bool percent, RowsShown shown = RowsShown::Different);
// The first key that a column of the row stands for.
Index first_key(const RowSummary& row, Index column);

struct RowPlan {
  Drawing drawing;
  Rect columns;             // all columns, from the first lane to the last
  std::vector<Rect> lanes;  // one for each stage, as wide as the columns
  Index column_count = 0;
  std::optional<Rect> chosen;  // the bar of the chosen column among the shares

  struct Slot {
    Index stage = -1, column = -1;
  };
  Slot slot_at(double x, double y) const;
  // The intersection of a column and a lane.
  Rect slot_rect(Index stage, Index column) const;
};

RowPlan plan_row(const RowFigure& figure, const FigureStyle& style, double width, double height,
                 const MeasureText& measure);

}  // namespace headlight
