// The quick way to a tile of a stage whose scores are kept: numbers are pooled before exponentials are taken.
// Private to engine/keeping.
#pragma once

#include <optional>

#include "engine/keeping/head_strips.h"
#include "engine/views/query.h"

namespace headlight {

// What marked_tile gives for the rows that the strips would make. None for requests that need more than the
// least and the largest of cells, or cells that are not kept.
// open_cells: how many of the T x T the rules leave open.
std::optional<Tile> strip_tile(const TileRequest& request, const HeadStrips& strips, const Matrix& q,
                               const StripRules& rules, Index open_cells);

}  // namespace headlight
