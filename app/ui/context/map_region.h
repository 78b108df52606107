// The visible region of a matrix: zooming, panning and following a cell, in whole cells. Independent of the
// window.
#pragma once

#include <cstddef>

#include "engine/layer/stage.h"

namespace headlight {

// A block of cells of the whole matrix, as half-open ranges; empty where nothing is chosen.
struct CellBlock {
  Index row = 0, row_end = 0, column = 0, column_end = 0;
  bool empty() const { return row_end <= row; }
  Index rows() const { return row_end - row; }
  Index columns() const { return column_end - column; }
  bool contains(Index r, Index c) const { return r >= row && r < row_end && c >= column && c < column_end; }
  bool operator==(const CellBlock&) const = default;
};

inline constexpr std::size_t kColumnAxes = kStageColumnsCount;  // number of possible meanings of a column

struct MapShape {
  Index rows = 0, columns = 0;
  bool operator==(const MapShape&) const = default;
};

// A side of at most kAlwaysWhole cells is always shown completely; a longer one shows at least kLeastCells
// cells.
inline constexpr Index kAlwaysWhole = 12, kLeastCells = 4;
// The rows and columns that "Zoom to selection" shows: their numbers fit into a picture of usual size.
inline constexpr Index kSelectionCells = 8;

bool can_zoom(MapShape shape);
CellBlock whole_of(MapShape shape);
// The nearest block inside the matrix; the whole matrix for an empty region.
CellBlock fitted(const CellBlock& region, MapShape shape);

// A place in a region: 0 at its first row or column, 1 after its last.
struct MapPlace {
  double row = 0.5, column = 0.5;
};

// The region with cells `factor` times as large on screen. The cell at `fixed` stays in place, unless the
// region meets an edge of the matrix.
CellBlock zoomed(const CellBlock& region, MapShape shape, double factor, MapPlace fixed);
// The region moved by `rows` and `columns`, limited by the edges of the matrix.
CellBlock panned(const CellBlock& region, MapShape shape, Index rows, Index columns);
// The region moved by the least distance that brings the cell into it, with one cell of margin if the region
// has room for it; -1 stands for any row or column.
CellBlock following(const CellBlock& region, MapShape shape, Index row, Index column);
// The block of `cells` rows and columns centred on the cell; -1: centred on the middle of `region`.
CellBlock around(const CellBlock& region, MapShape shape, Index row, Index column, Index cells);

}  // namespace headlight
