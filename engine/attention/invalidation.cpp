#include "engine/attention/invalidation.h"

#include <algorithm>

namespace headlight {
namespace {

// Above one row in sixteen, recomputing all scores costs less.
bool few(Index rows, Index tokens) {
  return rows * 16 <= tokens;
}

StageSet invalidated_by_cells(const CellsEdit& edit) {
  switch (edit.input.kind) {
    case InputKind::Embeddings:
      return with_dependents(stage_bit(Stage::Embeddings));
    case InputKind::Weight:
    case InputKind::Bias:
    case InputKind::Given:
      return with_dependents(stage_bit(projected_stage(edit.input.parameter)));
    case InputKind::KeyEmbeddings:
      return with_dependents(stage_bit(Stage::Keys) | stage_bit(Stage::Values));
    case InputKind::ScoreBias:
      return with_dependents(stage_bit(Stage::Biased));
    case InputKind::GivenWeights:
      return with_dependents(stage_bit(Stage::Weights));
    case InputKind::Mask:
      return with_dependents(stage_bit(Stage::Masked));
  }
  return kAllStages;
}

// ALiBi measures distances from the query positions that the mask defines.
StageSet invalidated_by_mask(const AttentionSettings& settings) {
  return stage_bit(Stage::Masked) |
         (settings.position.kind == PositionKind::Alibi ? stage_bit(Stage::Biased) : StageSet{0});
}

StageSet invalidated_by_settings(const AttentionSettings& before, const AttentionSettings& after) {
  AttentionSettings rest = after;
  rest.scale = before.scale;
  rest.mask = before.mask;
  rest.rules = before.rules;
  rest.position = before.position;
  rest.softcap = before.softcap;
  rest.normalization = before.normalization;
  rest.dropout = before.dropout;
  rest.disabled_heads = before.disabled_heads;
  if (rest != before) return kAllStages;
  StageSet changed = 0;
  if (after.scale != before.scale) changed |= stage_bit(Stage::Scaled);
  if (after.position != before.position)
    changed |= stage_bit(Stage::RotatedQueries) | stage_bit(Stage::RotatedKeys) | stage_bit(Stage::Biased);
  if (after.softcap != before.softcap) changed |= stage_bit(Stage::Capped);
  if (after.mask != before.mask || after.rules != before.rules) changed |= invalidated_by_mask(after);
  if (after.normalization != before.normalization) changed |= stage_bit(Stage::Weights);
  if (after.dropout != before.dropout) changed |= stage_bit(Stage::Dropped);
  if (after.disabled_heads != before.disabled_heads) changed |= stage_bit(Stage::Concat);
  return with_dependents(changed);
}

}  // namespace

StageSet invalidated_by(const Edit& edit, const Layer& before) {
  if (const auto* cells = std::get_if<CellsEdit>(&edit)) return invalidated_by_cells(*cells);
  if (const auto* several = std::get_if<BlocksEdit>(&edit)) {
    StageSet stages = 0;
    for (const CellsEdit& block : several->blocks)
      stages |= invalidated_by_cells(block);
    return stages;
  }
  if (std::holds_alternative<MaskEdit>(edit)) return with_dependents(invalidated_by_mask(before.attention));
  if (const auto* settings = std::get_if<SettingsEdit>(&edit))
    return invalidated_by_settings(before.attention, settings->attention);
  return kAllStages;
}

ChangeScope change_scope_of(const Edit& edit, const Layer& after) {
  const auto* cells = std::get_if<CellsEdit>(&edit);
  if (!cells) return {};
  const Index rows = cells->values.rows();
  switch (cells->input.kind) {
    case InputKind::KeyEmbeddings:
    case InputKind::ScoreBias:
    case InputKind::GivenWeights:
      return {};
    case InputKind::Embeddings:
    case InputKind::Given:
      // If the keys are of other tokens, a row changes either a query or a key, not both.
      if (!after.self_attention() || !after.key_embeddings.empty()) return {};
      if (!few(rows, after.token_count())) return {};
      return RowsChange{cells->input.sequence, cells->row, cells->row + rows};
    case InputKind::Mask:
      if (after.attention.mask != MaskKind::Custom) return {};
      return MaskChange{cells->row, cells->row + rows};
    case InputKind::Weight:
    case InputKind::Bias:
      break;
  }
  // Weights may be stored while nothing is projected with them.
  if (!after.uses(cells->input.parameter) || cells->input.parameter == Parameter::Output) return {};
  const bool by_columns = cells->input.kind == InputKind::Bias || after.weights.layout == WeightLayout::InOut;
  const Index first = by_columns ? cells->column : cells->row;
  const Index count = by_columns ? cells->values.cols() : rows;
  const Index width = head_shape(after, cells->input.parameter).width, head = first / width;
  if (count == 0 || (first + count - 1) / width != head) return {};
  return HeadChange{cells->input.parameter, head};
}

ChangeScope joined(const ChangeScope& first, const ChangeScope& next, Index tokens) {
  if (const auto* a = std::get_if<RowsChange>(&first), *b = std::get_if<RowsChange>(&next); a && b) {
    const Index begin = std::min(a->begin, b->begin), end = std::max(a->end, b->end);
    if (a->sequence == b->sequence && few(end - begin, tokens)) return RowsChange{a->sequence, begin, end};
  }
  if (const auto* a = std::get_if<HeadChange>(&first), *b = std::get_if<HeadChange>(&next); a && b)
    if (a->parameter == b->parameter && a->head == b->head) return next;
  if (const auto* a = std::get_if<MaskChange>(&first), *b = std::get_if<MaskChange>(&next); a && b)
    return MaskChange{std::min(a->begin, b->begin), std::max(a->end, b->end)};
  return {};
}

}  // namespace headlight
