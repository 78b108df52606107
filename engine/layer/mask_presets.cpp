#include "engine/layer/mask_presets.h"

#include <algorithm>

namespace headlight {
namespace {

template <class MayAttend>
Matrix mask_where(Index queries, Index keys, MayAttend may_attend) {
  Matrix mask(queries, keys);
  for (Index query = 0; query < queries; ++query)
    for (Index key = 0; key < keys; ++key)
      mask(query, key) = may_attend(query, key) ? 1.0f : 0.0f;
  return mask;
}

template <class MayAttend>
Matrix mask_where(Index token_count, MayAttend may_attend) {
  return mask_where(token_count, token_count, may_attend);
}

Matrix open_pairs(const Layer& layer, Index sequence, Index head) {
  const OpenCells open = layer.open_cells(sequence, head);
  return mask_where(layer.token_count(), layer.key_count(),
                    [&](Index query, Index key) { return open.contains(query, key); });
}

// The number of leading ones in the first row.
Index leading_ones(const Matrix& mask) {
  Index count = 0;
  while (count < mask.cols() && mask(0, count) != 0.0f)
    ++count;
  return count;
}

// The parameters with which a preset of this kind could equal `mask`, derived from its edges.
MaskPreset guess(MaskPresetKind kind, const Matrix& mask) {
  MaskPreset preset;
  preset.kind = kind;
  const Index count = mask.rows(), first = leading_ones(mask);
  switch (kind) {
    case MaskPresetKind::Window:
      preset.right = std::max<Index>(first - 1, 0);
      preset.left = 0;
      while (preset.left + 1 < count && mask(count - 1, count - 2 - preset.left) != 0.0f)
        ++preset.left;
      break;
    case MaskPresetKind::Block:
      preset.block = std::max<Index>(first, 1);
      break;
    case MaskPresetKind::Prefix:
      preset.prefix = first;
      break;
    case MaskPresetKind::Padding:
      for (Index key = 0; key < count; ++key)
        if (mask(0, key) == 0.0f) preset.padding.push_back(key);
      break;
  }
  return preset;
}

}  // namespace

Matrix open_mask(Index token_count) {
  return Matrix::Ones(token_count, token_count);
}

Matrix causal_mask(Index token_count) {
  return mask_where(token_count, [](Index query, Index key) { return key <= query; });
}

Matrix window_mask(Index token_count, Index left, Index right) {
  return mask_where(token_count,
                    [&](Index query, Index key) { return key - query <= right && query - key <= left; });
}

Matrix block_mask(Index token_count, Index size) {
  return mask_where(token_count, [&](Index query, Index key) { return query / size == key / size; });
}

Matrix prefix_mask(Index token_count, Index prefix) {
  return mask_where(token_count, [&](Index query, Index key) { return key < prefix || key <= query; });
}

Matrix padding_mask(Index token_count, const std::vector<Index>& padding) {
  Matrix mask = open_mask(token_count);
  for (Index key : padding)
    if (key >= 0 && key < token_count) mask.col(key).setZero();
  return mask;
}

Matrix mask_of(const MaskPreset& preset, Index token_count) {
  switch (preset.kind) {
    case MaskPresetKind::Window:
      return window_mask(token_count, preset.left, preset.right);
    case MaskPresetKind::Block:
      return block_mask(token_count, preset.block);
    case MaskPresetKind::Prefix:
      return prefix_mask(token_count, preset.prefix);
    case MaskPresetKind::Padding:
      return padding_mask(token_count, preset.padding);
  }
  return open_mask(token_count);
}

std::optional<MaskPreset> recognize_mask(const Matrix& mask) {
  if (mask.size() == 0 || mask.rows() != mask.cols()) return std::nullopt;
  if (mask == open_mask(mask.rows()) || mask == causal_mask(mask.rows())) return std::nullopt;
  for (const MaskPresetKind kind :
       {MaskPresetKind::Block, MaskPresetKind::Padding, MaskPresetKind::Prefix, MaskPresetKind::Window}) {
    MaskPreset preset = guess(kind, mask);
    if (mask_of(preset, mask.rows()) == mask) return preset;
  }
  return std::nullopt;
}

Matrix fitted_mask(const Matrix& mask, Index query_count, Index key_count) {
  Matrix fitted = Matrix::Ones(query_count, key_count);
  const Index rows = std::min(query_count, mask.rows()), columns = std::min(key_count, mask.cols());
  fitted.topLeftCorner(rows, columns) = mask.topLeftCorner(rows, columns);
  return fitted;
}

PairArray allowed_pairs(const Layer& layer) {
  const MaskRules& rules = layer.attention.rules;
  const bool by_rules = layer.attention.mask == MaskKind::Rules;
  const bool apart =
      by_rules && (rules.offsets.size() > 1 || !rules.keys.empty() || layer.allowed.sequences > 1);
  PairArray pairs;
  pairs.sequences = apart ? layer.sequence_count() : 1;
  pairs.heads = by_rules && layer.allowed.heads > 1 ? layer.allowed.heads : 1;
  for (Index sequence = 0; sequence < pairs.sequences; ++sequence)
    for (Index head = 0; head < pairs.heads; ++head)
      pairs.matrices.push_back(open_pairs(layer, sequence, head));
  return pairs;
}

Matrix mask_matrix(const Layer& layer) {
  switch (layer.attention.mask) {
    case MaskKind::None:
      break;
    case MaskKind::Causal:
      return mask_where(layer.token_count(), layer.key_count(),
                        [](Index query, Index key) { return key <= query; });
    case MaskKind::Custom:
      return layer.custom_mask;
    case MaskKind::Rules:
      return open_pairs(layer, 0, 0);
  }
  return Matrix::Ones(layer.token_count(), layer.key_count());
}

}  // namespace headlight
