// Tiles of any matrix, pooled to a limited size.
#pragma once

#include "engine/views/query.h"

namespace headlight {

// At most max_rows x max_columns values; a pooled cell has the value of greatest magnitude, or NaN if there
// is one. The range is that of the whole matrix. The matrix must not be empty.
Tile matrix_tile(const Matrix& whole, Index max_rows, Index max_columns);

}  // namespace headlight
