// The quick way to a tile: for matrices of finite numbers in which each row is open up to some column and
// masked behind it, as all stages are without a mask and under the causal one. Private to engine/attention.
#pragma once

#include <functional>
#include <optional>

#include "engine/attention/query.h"

namespace headlight {

// `open(row)`: how many cells of the row are not masked; it never falls from one row to the next. Gives what
// build_tile gives, but where two cells of opposite sign are equally far from zero. None when an open cell is
// not finite, or for requests that need more than this.
std::optional<Tile> plain_tile(const TileRequest& request, const Matrix& whole,
                               const std::function<Index(Index row)>& open);

}  // namespace headlight
