#include "app/ui/inputs/grid_selection.h"

#include <algorithm>

namespace headlight {

GridRange GridSelection::range(Index rows, Index columns) const {
  const auto within = [](Index at, Index count) { return std::clamp<Index>(at, 0, count - 1); };
  const Index top = within(std::min(row, far_row), rows), bottom = within(std::max(row, far_row), rows);
  const Index left = within(std::min(column, far_column), columns);
  const Index right = within(std::max(column, far_column), columns);
  if (span == GridSpan::Rows) return {top, 0, bottom - top + 1, columns};
  if (span == GridSpan::Columns) return {0, left, rows, right - left + 1};
  return {top, left, bottom - top + 1, right - left + 1};
}

void GridSelection::select(Index at_row, Index at_column) {
  *this = {at_row, at_column, at_row, at_column, GridSpan::Cells, false};
}

void GridSelection::extend(Index to_row, Index to_column) {
  far_row = to_row;
  far_column = to_column;
}

void GridSelection::select_rows(Index first, Index last) {
  *this = {first, 0, last, 0, GridSpan::Rows, false};
}

void GridSelection::select_columns(Index first, Index last) {
  *this = {0, first, 0, last, GridSpan::Columns, false};
}

void GridSelection::select_range(const GridRange& cells) {
  *this = {cells.row, cells.column, cells.end_row() - 1, cells.end_column() - 1, GridSpan::Cells, false};
}

void GridSelection::select_all(Index rows, Index columns) {
  select_range({0, 0, rows, columns});
}

bool GridSelection::clamp(Index rows, Index columns) {
  const bool inside = row < rows && column < columns;
  row = std::clamp<Index>(row, 0, rows - 1);
  column = std::clamp<Index>(column, 0, columns - 1);
  far_row = std::clamp<Index>(far_row, 0, rows - 1);
  far_column = std::clamp<Index>(far_column, 0, columns - 1);
  return inside;
}

}  // namespace headlight
