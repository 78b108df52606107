// The quick way to a tile: whole rows at a time, for matrices whose open cells are finite and whose marks
// follow from a few rules.
#pragma once

#include <optional>

#include "engine/views/mark_rule.h"
#include "engine/views/query.h"
#include "engine/views/row_source.h"

namespace headlight {

// What build_tile gives for the rule's marks, but where two cells of opposite sign are equally far from zero.
// None when an open cell is not finite, or for requests that need more than this.
std::optional<Tile> plain_tile(const TileRequest& request, RowSource whole, const MarkRule& rule);

// The same of a matrix of which only the columns that the request shows are there, and whose range is known.
// The rule's noise is not looked at.
std::optional<Tile> plain_part(const TileRequest& request, RowSource columns, Index total_columns,
                               const MarkRule& rule, const ValueRange& range);

// The tile in the quickest way there is. Throws Error when the part lies outside.
Tile marked_tile(const TileRequest& request, const RowSource& whole, const MarkRule& rule);

}  // namespace headlight
