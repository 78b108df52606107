#include "engine/array_import/pair_masks.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "engine/model/mask_presets.h"

namespace headlight {
namespace {

using MatrixMap = Eigen::Map<const Matrix>;

// A causal mask in which the last query is at the last key.
Matrix last_causal(Index queries, Index keys) {
  Matrix mask(queries, keys);
  for (Index query = 0; query < queries; ++query)
    for (Index key = 0; key < keys; ++key)
      mask(query, key) = key <= query + keys - queries ? 1.0f : 0.0f;
  return mask;
}

// The array with its matrices repeated for this many sequences and heads.
PairArray spread(const PairArray& array, Index sequences, Index heads) {
  PairArray result{sequences, heads, {}};
  for (Index b = 0; b < sequences; ++b)
    for (Index h = 0; h < heads; ++h)
      result.matrices.push_back(array.of(b, h));
  return result;
}

Matrix spread_rows(const Matrix& matrix, Index rows) {
  return matrix.rows() == rows ? matrix : Matrix(matrix.replicate(rows, 1));
}

// Combines both cell by cell, with as many sequences, heads and rows as the larger of the two.
template <class Join>
PairArray joined(const PairArray& a, const PairArray& b, Join join) {
  const Index sequences = std::max(a.sequences, b.sequences), heads = std::max(a.heads, b.heads);
  const Index rows = std::max(a.rows(), b.rows());
  PairArray result = spread(a, sequences, heads);
  for (Index s = 0; s < sequences; ++s)
    for (Index h = 0; h < heads; ++h) {
      Matrix& matrix = result.matrices[static_cast<std::size_t>(result.index(s, h))];
      matrix = join(spread_rows(matrix, rows), spread_rows(b.of(s, h), rows));
    }
  return result;
}

void allow_only(Model& model, PairArray mask) {
  as_rules(model);
  if (model.allowed.empty())
    model.allowed = std::move(mask);
  else
    model.allowed = joined(model.allowed, mask,
                           [](const Matrix& a, const Matrix& b) { return Matrix(a.cwiseProduct(b)); });
}

// The pairs that minus infinity closes among the scores, as a mask; empty if there are none.
PairArray closed_by(const PairArray& scores) {
  PairArray open{scores.sequences, scores.heads, {}};
  bool any = false;
  for (const Matrix& matrix : scores.matrices) {
    open.matrices.push_back(matrix.unaryExpr([](float value) { return std::isfinite(value) ? 1.0f : 0.0f; }));
    any = any || !open.matrices.back().isOnes(0);
  }
  return any ? open : PairArray{};
}

// One matrix for all if all are equal.
PairArray shared_where_alike(PairArray array) {
  const Matrix& first = array.matrices.front();
  if (std::any_of(array.matrices.begin(), array.matrices.end(),
                  [&](const Matrix& matrix) { return matrix != first; }))
    return array;
  return {1, 1, {first}};
}

}  // namespace

PairArray pairs_in(const NamedArray& array, const PairAxes& axes, Index keys) {
  PairArray pairs{axes.sequences, axes.heads, {}};
  for (Index i = 0; i < axes.sequences * axes.heads; ++i)
    pairs.matrices.emplace_back(MatrixMap(array.values.data() + i * axes.rows * keys, axes.rows, keys));
  return pairs;
}

void as_rules(Model& model) {
  MaskRules& rules = model.attention.rules;
  const MaskKind kind = std::exchange(model.attention.mask, MaskKind::Rules);
  if (kind == MaskKind::Rules) return;
  rules = {};
  rules.causal = kind == MaskKind::Causal;
  model.allowed = {};
  if (kind == MaskKind::Custom) model.allowed = {1, 1, {model.custom_mask}};
}

void set_causal(Model& model) {
  const Index before = model.key_count() - model.token_count();
  const bool plain = model.attention.mask == MaskKind::None || model.attention.mask == MaskKind::Causal;
  if (plain && before <= 0) {
    model.attention.mask = MaskKind::Causal;
    return;
  }
  as_rules(model);
  model.attention.rules.causal = true;
  if (before > 0 && model.attention.rules.offsets.empty()) model.attention.rules.offsets = {before};
}

void set_pair_mask(Model& model, const PairArray& mask) {
  const PairArray pairs = shared_where_alike(mask);
  const Index queries = model.token_count(), keys = model.key_count();
  model.attention.rules = {};
  model.allowed = {};
  if (pairs.matrices.size() > 1) {
    model.attention.mask = MaskKind::Rules;
    model.allowed = pairs;
    return;
  }
  model.custom_mask = pairs.matrices.front();
  model.attention.mask = MaskKind::Custom;
  if (queries > keys || model.custom_mask != last_causal(queries, keys)) return;
  model.attention.mask = MaskKind::None;
  set_causal(model);
}

void add_key_mask(Model& model, const NamedArray& mask) {
  const Index keys = model.key_count();
  const Index sequences = static_cast<Index>(mask.values.size()) / keys;
  PairArray pairs{sequences, 1, {}};
  for (Index b = 0; b < sequences; ++b)
    pairs.matrices.emplace_back(
        MatrixMap(mask.values.data() + b * keys, 1, keys).replicate(model.token_count(), 1));
  allow_only(model, std::move(pairs));
}

void add_score_bias(Model& model, PairArray bias) {
  if (model.score_bias.empty())
    model.score_bias = std::move(bias);
  else
    model.score_bias =
        joined(model.score_bias, bias, [](const Matrix& a, const Matrix& b) { return Matrix(a + b); });
}

void fit_custom_mask(Model& model) {
  const Index queries = model.token_count(), keys = model.key_count();
  if (model.custom_mask.size() == 0 ||
      (model.custom_mask.rows() == queries && model.custom_mask.cols() == keys))
    return;
  model.custom_mask = fitted_mask(model.custom_mask, queries, keys);
}

void place_scores(Model& model, const NamedArray& scores) {
  const Index heads = model.head_count(), queries = model.token_count(), keys = model.key_count();
  const Index sequences = static_cast<Index>(scores.values.size()) / (heads * queries * keys);
  const PairArray pairs = pairs_in(scores, {sequences, heads, queries}, keys);
  const Index kv_heads = model.kv_head_count();
  const auto units = static_cast<std::size_t>(sequences);
  for (Index b = 0; b < sequences; ++b) {
    Matrix rows(queries, heads * keys);
    for (Index h = 0; h < heads; ++h)
      rows.middleCols(h * keys, keys) =
          pairs.of(b, h).unaryExpr([](float value) { return std::isfinite(value) ? value : 0.0f; });
    model.given[0].push_back(std::move(rows));
  }
  model.given[1].assign(units, Matrix::Identity(keys, keys).replicate(1, kv_heads));
  if (model.given[2].empty()) model.given[2].assign(units, Matrix::Identity(keys, keys));
  AttentionSettings& a = model.attention;
  a.position = {};
  a.softcap = 0;
  a.scale.kind = ScaleKind::None;
  a.normalization = Normalization::Softmax;
  a.dropout.training = false;
  a.mask = MaskKind::None;
  a.rules = {};
  model.allowed = {};
  model.score_bias = {};
  const PairArray open = closed_by(pairs);
  if (!open.empty()) set_pair_mask(model, open);
}

}  // namespace headlight
