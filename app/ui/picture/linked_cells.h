// The rows, columns and cells of the other stages that belong to a given cell.
#pragma once

#include <optional>

#include "engine/views/query.h"

namespace headlight {

// A cell, a whole row or a whole column of one matrix; -1 means all of them.
struct LinkedCells {
  Index row = -1, column = -1;
  bool operator==(const LinkedCells&) const = default;
};

// The part of matrix (`stage`, `head`) that belongs to `cell`; nullopt if it is of another head or sequence.
// A query-key pair is one cell of every T x T stage, the key's row of stages with a row per key, and the
// query's row of all others.
std::optional<LinkedCells> linked_cells(const CellAddress& cell, Stage stage, Index sequence, Index head,
                                        const Layer& layer);
// The head of `stage` that belongs to the cell's head; of a group of heads that share keys and values, the
// first.
Index linked_head(const Layer& layer, const CellAddress& cell, Stage stage);

// The positions of a cell's query and key token; -1 if it has none.
struct CellTokens {
  Index query = -1, key = -1;
};
CellTokens cell_tokens(const CellAddress& cell);

}  // namespace headlight
