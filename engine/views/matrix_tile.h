// Any matrix as views see the stages: with room for so many numbers and no more.
#pragma once

#include "engine/views/query.h"

namespace headlight {

// At most max_rows x max_columns values; a cell that stands for several has the one largest in size, and NaN
// where there is one. The range is that of the whole matrix. The matrix is not empty.
Tile matrix_tile(const Matrix& whole, Index max_rows, Index max_columns);

}  // namespace headlight
