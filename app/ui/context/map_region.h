// Which part of a matrix is in sight: zooming, panning and following, in whole cells. Knows no window.
#pragma once

#include <cstddef>

#include "engine/model/stage.h"

namespace headlight {

// A block of cells of the whole matrix; half open, empty when it is nowhere.
struct CellBlock {
  Index row = 0, row_end = 0, column = 0, column_end = 0;
  bool empty() const { return row_end <= row; }
  Index rows() const { return row_end - row; }
  Index columns() const { return column_end - column; }
  bool contains(Index r, Index c) const { return r >= row && r < row_end && c >= column && c < column_end; }
  bool operator==(const CellBlock&) const = default;
};

inline constexpr std::size_t kColumnAxes = kStageColumnsCount;  // what columns can be

struct MapShape {
  Index rows = 0, columns = 0;
  bool operator==(const MapShape&) const = default;
};

// A side of at most so many cells is always shown as a whole, a longer one never with fewer than so many.
inline constexpr Index kAlwaysWhole = 12, kLeastCells = 4;
// "Zoom to selection" shows so many rows and columns: their numbers have room in a picture of usual size.
inline constexpr Index kSelectionCells = 8;

bool can_zoom(MapShape shape);
CellBlock whole_of(MapShape shape);
// The nearest block that lies in the matrix; all of it for an empty one.
CellBlock fitted(const CellBlock& region, MapShape shape);

// A place in a region: 0 at its first row or column, 1 behind its last.
struct MapPlace {
  double row = 0.5, column = 0.5;
};

// `factor` times as large on screen. The cell at `fixed` stays there, but for the matrix's ends.
CellBlock zoomed(const CellBlock& region, MapShape shape, double factor, MapPlace fixed);
// Moved by so many cells, as far as the matrix goes.
CellBlock panned(const CellBlock& region, MapShape shape, Index rows, Index columns);
// Moved no farther than it takes to have the cell in it; -1 stands for any row or column.
CellBlock following(const CellBlock& region, MapShape shape, Index row, Index column);
// The block of `cells` rows and columns with the cell in its middle; -1: in the middle of `region`.
CellBlock around(const CellBlock& region, MapShape shape, Index row, Index column, Index cells);

}  // namespace headlight
