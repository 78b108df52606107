// The selection in a grid of numbers: the active cell, where typing goes, and the opposite corner of a
// rectangle.
#pragma once

#include "engine/core/matrix.h"

namespace headlight {

// A block of cells.
struct GridRange {
  Index row = 0, column = 0, rows = 1, columns = 1;

  Index size() const { return rows * columns; }
  Index end_row() const { return row + rows; }
  Index end_column() const { return column + columns; }
  bool contains(Index at_row, Index at_column) const {
    return at_row >= row && at_row < end_row() && at_column >= column && at_column < end_column();
  }
  bool operator==(const GridRange&) const = default;
};

// Whether cells are selected, or complete rows or columns by their headers.
enum class GridSpan { Cells, Rows, Columns };

struct GridSelection {
  Index row = 0, column = 0;          // the cell where typing goes
  Index far_row = 0, far_column = 0;  // the corner that Shift moves
  GridSpan span = GridSpan::Cells;
  bool on_label = false;  // the row's label is selected, and with it the row

  bool operator==(const GridSelection&) const = default;

  // The selected cells in a matrix of this size.
  GridRange range(Index rows, Index columns) const;

  void select(Index at_row, Index at_column);
  void extend(Index to_row, Index to_column);  // a selection of rows or columns gets more of them
  void select_rows(Index first, Index last);
  void select_columns(Index first, Index last);
  void select_range(const GridRange& cells);
  void select_all(Index rows, Index columns);
  // Limits the selection to a matrix that may have shrunk. Returns false if the active cell was outside.
  bool clamp(Index rows, Index columns);
};

}  // namespace headlight
