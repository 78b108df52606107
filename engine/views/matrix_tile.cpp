#include "engine/views/matrix_tile.h"

#include "engine/views/tile_builder.h"

namespace headlight {

Tile matrix_tile(const Matrix& whole, Index max_rows, Index max_columns) {
  TileRequest request;
  request.max_rows = max_rows;
  request.max_columns = max_columns;
  request.pooling = Pooling::AbsMax;
  return build_tile(request, whole, [](Index, Index) { return CellMark::None; });
}

}  // namespace headlight
