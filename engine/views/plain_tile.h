// Fast construction of tiles by whole rows, for finite open cells and marks that follow from a MarkRule.
#pragma once

#include <optional>

#include "engine/views/mark_rule.h"
#include "engine/views/query.h"
#include "engine/views/row_source.h"

namespace headlight {

// The same tile as build_tile with the rule's marks, except where two cells of opposite sign have the same
// magnitude. None if an open cell is not finite, or if the request or the rule needs build_tile.
std::optional<Tile> plain_tile(const TileRequest& request, RowSource whole, const MarkRule& rule);

// Like plain_tile, for a matrix of which only the columns that the request shows are available and whose
// range is known. Precondition: the rule has no noise.
std::optional<Tile> plain_part(const TileRequest& request, RowSource columns, Index total_columns,
                               const MarkRule& rule, const ValueRange& range);

// plain_tile if possible, else build_tile. Throws Error if the requested part lies outside the matrix.
Tile marked_tile(const TileRequest& request, const RowSource& whole, const MarkRule& rule);

}  // namespace headlight
