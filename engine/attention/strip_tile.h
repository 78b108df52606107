// Fast tiles of a stage whose scores are stored: scores are pooled before exponentials are taken. Private to
// engine/attention.
#pragma once

#include <optional>

#include "engine/attention/head_strips.h"
#include "engine/views/query.h"

namespace headlight {

// The same tile as marked_tile on the rows of the strips. nullopt for requests that need more than the
// minimum and maximum of cells, or cells that are not stored. open_cells: how many of the T x T cells the
// rules leave open.
std::optional<Tile> strip_tile(const TileRequest& request, const HeadStrips& strips, const Matrix& q,
                               const StripRules& rules, Index open_cells);

}  // namespace headlight
