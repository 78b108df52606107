#include "app/ui/picture/linked_cells.h"

#include "engine/model/stage.h"

namespace headlight {
namespace {

bool is_key_side(Stage stage) {
  return stage == Stage::Keys || stage == Stage::Values;
}

}  // namespace

CellTokens cell_tokens(const CellAddress& cell) {
  if (is_pair(cell.stage)) return {cell.row, cell.column};
  if (is_key_side(cell.stage)) return {-1, cell.row};
  return {cell.row, -1};
}

std::optional<LinkedCells> linked_cells(const CellAddress& cell, Stage stage, Index sequence, Index head,
                                        Index d_k) {
  if (cell.sequence != sequence) return std::nullopt;
  const bool both_per_head = stage_info(cell.stage).per_head && stage_info(stage).per_head;
  if (both_per_head && cell.head != head) return std::nullopt;
  if (stage == cell.stage) return LinkedCells{cell.row, cell.column};
  // A column of a head's context is one column of the joined context, and the other way round.
  if (cell.stage == Stage::Context && stage == Stage::Concat)
    return LinkedCells{cell.row, cell.head * d_k + cell.column};
  if (cell.stage == Stage::Concat && stage == Stage::Context) {
    if (cell.column / d_k != head) return std::nullopt;
    return LinkedCells{cell.row, cell.column % d_k};
  }
  const CellTokens tokens = cell_tokens(cell);
  if (is_pair(stage)) return LinkedCells{tokens.query, tokens.key};
  if (is_key_side(stage)) {
    const Index row = tokens.key >= 0 ? tokens.key : tokens.query;
    return LinkedCells{row, -1};
  }
  return LinkedCells{tokens.query >= 0 ? tokens.query : tokens.key, -1};
}

}  // namespace headlight
