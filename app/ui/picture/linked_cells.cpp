#include "app/ui/picture/linked_cells.h"

#include "engine/layer/stage.h"

namespace headlight {
namespace {

bool is_key_side(Stage stage) {
  return stage_info(stage).rows == StageRows::Keys;
}

// Whether matrix `head` of `stage` belongs to the cell's head, or to a head that shares its keys and values.
bool same_head(const Layer& layer, const CellAddress& cell, Stage stage, Index head) {
  const StageHeads of_cell = stage_info(cell.stage).heads, of_stage = stage_info(stage).heads;
  if (of_cell == StageHeads::None || of_stage == StageHeads::None) return true;
  if (of_cell == of_stage) return cell.head == head;
  return of_cell == StageHeads::Queries ? layer.kv_head_of(cell.head) == head
                                        : layer.kv_head_of(head) == cell.head;
}

}  // namespace

CellTokens cell_tokens(const CellAddress& cell) {
  if (is_pair(cell.stage)) return {cell.row, cell.column};
  if (is_key_side(cell.stage)) return {-1, cell.row};
  return {cell.row, -1};
}

Index linked_head(const Layer& layer, const CellAddress& cell, Stage stage) {
  const bool of_keys = stage_info(cell.stage).heads == StageHeads::Keys;
  const Index first = of_keys ? cell.head * (layer.head_count() / layer.kv_head_count()) : cell.head;
  return stage_head(layer, stage, first);
}

std::optional<LinkedCells> linked_cells(const CellAddress& cell, Stage stage, Index sequence, Index head,
                                        const Layer& layer) {
  if (cell.sequence != sequence || !same_head(layer, cell, stage, head)) return std::nullopt;
  if (stage == cell.stage) return LinkedCells{cell.row, cell.column};
  const Index d_v = layer.d_v();
  // A column of a head's context is one column of the joined context, and vice versa.
  if (cell.stage == Stage::Context && stage == Stage::Concat)
    return LinkedCells{cell.row, cell.head * d_v + cell.column};
  if (cell.stage == Stage::Concat && stage == Stage::Context) {
    if (cell.column / d_v != head) return std::nullopt;
    return LinkedCells{cell.row, cell.column % d_v};
  }
  const CellTokens tokens = cell_tokens(cell);
  if (is_pair(stage)) return LinkedCells{tokens.query, tokens.key};
  // In self-attention a single token is used as the query and as the key.
  const Index own = is_key_side(stage) ? tokens.key : tokens.query;
  const Index other = layer.self_attention() ? (is_key_side(stage) ? tokens.query : tokens.key) : Index{-1};
  const Index row = own >= 0 ? own : other;
  if (row < 0) return std::nullopt;
  return LinkedCells{row, -1};
}

}  // namespace headlight
