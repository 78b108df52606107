#include "engine/array_import/pair_masks.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "engine/core/error.h"
#include "engine/layer/mask_presets.h"
#include "engine/layer/reshape.h"

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

void allow_only(Layer& layer, PairArray mask) {
  as_rules(layer);
  if (layer.allowed.empty())
    layer.allowed = std::move(mask);
  else
    layer.allowed = joined(layer.allowed, mask,
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

[[noreturn]] void refuse_number(const NamedArray& array, std::size_t at, const std::string& why,
                                const char* hint) {
  char number[32];
  std::snprintf(number, sizeof number, "%.6g", double{array.values[at]});
  throw Error("number " + std::to_string(at + 1) + " is " + number + why, array.name, hint);
}

void require_whole(const NamedArray& array, float most, const char* what) {
  for (std::size_t i = 0; i < array.values.size(); ++i) {
    const float value = array.values[i];
    if (value >= 0 && value <= most && value == std::floor(value)) continue;
    refuse_number(array, i, std::string(", expected ") + what, "mend the number, or leave the array out");
  }
}

// Rows of T numbers as those of texts: 0 is padding, the texts count from 1.
using TextNumbers = std::vector<float>;

TextNumbers texts_of_segments(const NamedArray& array) {
  require_whole(array, 1e9f, "a whole number for each text");
  TextNumbers numbers = array.values;
  // Without higher ones, 0 and 1 are two texts; the padding of a single text belongs into a mask of keys.
  if (std::none_of(numbers.begin(), numbers.end(), [](float number) { return number > 1; }))
    for (float& number : numbers)
      ++number;
  return numbers;
}

TextNumbers texts_of_positions(const NamedArray& array) {
  require_whole(array, 1e9f, "a position");
  const Index tokens = array.shape.back();
  TextNumbers numbers;
  float text = 1;
  for (std::size_t i = 0; i < array.values.size(); ++i) {
    const bool first = static_cast<Index>(i) % tokens == 0;
    if (first) text = 1;
    if (!first && array.values[i] != array.values[i - 1] + 1) {
      if (array.values[i] != 0)
        refuse_number(array, i,
                      " behind " + std::to_string(static_cast<long long>(array.values[i - 1])) +
                          ": it neither rises by 1 nor starts again at 0",
                      "begin the positions of each text at 0; padding belongs into a mask of keys");
      ++text;
    }
    numbers.push_back(text);
  }
  return numbers;
}

TextNumbers texts_of_boundaries(const NamedArray& array, Index tokens) {
  require_whole(array, static_cast<float>(tokens), "a token at which a text begins");
  if (array.values.front() != 0)
    refuse_number(array, 0, ", expected 0", "the first text begins at the first token");
  if (array.values.back() != static_cast<float>(tokens))
    refuse_number(array, array.values.size() - 1, ", and there are " + std::to_string(tokens) + " tokens",
                  "the last number is where the last text ends");
  TextNumbers numbers;
  for (std::size_t text = 1; text < array.values.size(); ++text) {
    if (array.values[text] < array.values[text - 1])
      refuse_number(array, text, ", less than the one before it", "the texts stand behind each other");
    numbers.resize(static_cast<std::size_t>(array.values[text]), static_cast<float>(text));
  }
  return numbers;
}

// Tokens of one text may attend to each other.
PairArray same_text(const TextNumbers& numbers, Index queries, Index keys) {
  const Index sequences = static_cast<Index>(numbers.size()) / keys;
  PairArray pairs{sequences, 1, {}};
  for (Index b = 0; b < sequences; ++b) {
    const float* row = numbers.data() + b * keys;
    Matrix open = Matrix::Zero(queries, keys);
    for (Index query = 0; query < queries; ++query) {
      const Index token = query + keys - queries;
      for (Index key = 0; key < keys; ++key)
        if (token >= 0 && row[token] == row[key] && row[key] > 0) open(query, key) = 1;
    }
    pairs.matrices.push_back(std::move(open));
  }
  return pairs;
}

// lengths: one for each query of each sequence.
PairArray first_keys(const NamedArray& lengths, Index sequences, Index queries, Index keys) {
  PairArray pairs{sequences, 1, {}};
  const float* length = lengths.values.data();
  for (Index b = 0; b < sequences; ++b) {
    Matrix open = Matrix::Zero(queries, keys);
    for (Index query = 0; query < queries; ++query)
      open.row(query).head(static_cast<Index>(*length++)).setOnes();
    pairs.matrices.push_back(std::move(open));
  }
  return pairs;
}

void add_lengths(Layer& layer, const NamedArray& lengths) {
  const Index keys = layer.key_count(), sequences = layer.sequence_count();
  const std::string what = "a length from 0 to the " + std::to_string(keys) + " keys";
  require_whole(lengths, static_cast<float>(keys), what.c_str());
  if (static_cast<Index>(lengths.values.size()) != sequences)
    return allow_only(layer, first_keys(lengths, sequences, layer.token_count(), keys));
  as_rules(layer);
  std::vector<Index>& counts = layer.attention.rules.keys;
  counts.clear();
  for (const float length : lengths.values)
    counts.push_back(static_cast<Index>(length));
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

void as_rules(Layer& layer) {
  MaskRules& rules = layer.attention.rules;
  const MaskKind kind = std::exchange(layer.attention.mask, MaskKind::Rules);
  if (kind == MaskKind::Rules) return;
  rules = {};
  rules.causal = kind == MaskKind::Causal;
  layer.allowed = {};
  if (kind == MaskKind::Custom) layer.allowed = {1, 1, {layer.custom_mask}};
}

void set_causal(Layer& layer, bool upper_left) {
  const Index before = upper_left ? 0 : layer.key_count() - layer.token_count();
  const bool plain = layer.attention.mask == MaskKind::None || layer.attention.mask == MaskKind::Causal;
  if (plain && before == 0) {
    layer.attention.mask = MaskKind::Causal;
    return;
  }
  as_rules(layer);
  layer.attention.rules.causal = true;
  if (before != 0 && layer.attention.rules.offsets.empty()) layer.attention.rules.offsets = {before};
}

void set_pair_mask(Layer& layer, const PairArray& mask) {
  const PairArray pairs = shared_where_alike(mask);
  const Index queries = layer.token_count(), keys = layer.key_count();
  layer.attention.rules = {};
  layer.allowed = {};
  if (pairs.matrices.size() > 1) {
    layer.attention.mask = MaskKind::Rules;
    layer.allowed = pairs;
    return;
  }
  layer.custom_mask = pairs.matrices.front();
  layer.attention.mask = MaskKind::Custom;
  if (queries > keys || layer.custom_mask != last_causal(queries, keys)) return;
  layer.attention.mask = MaskKind::None;
  set_causal(layer);
}

void add_key_mask(Layer& layer, const NamedArray& mask) {
  const Index keys = layer.key_count();
  const Index sequences = static_cast<Index>(mask.values.size()) / keys;
  PairArray pairs{sequences, 1, {}};
  for (Index b = 0; b < sequences; ++b)
    pairs.matrices.emplace_back(
        MatrixMap(mask.values.data() + b * keys, 1, keys).replicate(layer.token_count(), 1));
  allow_only(layer, std::move(pairs));
}

void add_texts(Layer& layer, const NamedArray& array, ArrayRole role) {
  const Index queries = layer.token_count(), keys = layer.key_count();
  if (role == ArrayRole::Lengths) return add_lengths(layer, array);
  allow_only(layer, same_text(role == ArrayRole::Segments    ? texts_of_segments(array)
                              : role == ArrayRole::Positions ? texts_of_positions(array)
                                                             : texts_of_boundaries(array, keys),
                              queries, keys));
}

void append_key(Layer& layer, const std::string& label, const NamedArray& key, const NamedArray& value) {
  if (layer.attention.position.kind != PositionKind::None)
    throw Error("a learned key has no position, and this layer has positions", label,
                "leave it out, or save queries, keys and values with it and without positions");
  PairArray open = allowed_pairs(layer);
  set_projection(layer, Projection::Given);
  std::vector<std::string> labels = layer.key_labels();
  labels.push_back(label);
  layer.key_tokens = std::move(labels);
  layer.lineage.keys = new_lines(layer.key_count());
  for (const auto& [rows, row] : {std::pair(&layer.given[1], &key), std::pair(&layer.given[2], &value)})
    for (Matrix& matrix : *rows) {
      matrix.conservativeResize(matrix.rows() + 1, Eigen::NoChange);
      matrix.bottomRows(1) = MatrixMap(row->values.data(), 1, matrix.cols());
    }
  if (layer.score_bias.columns() > 1)
    for (Matrix& bias : layer.score_bias.matrices) {
      bias.conservativeResize(Eigen::NoChange, bias.cols() + 1);
      bias.rightCols(1).setZero();
    }
  bool all = true;
  for (Matrix& matrix : open.matrices) {
    all = all && matrix.isOnes(0);
    matrix.conservativeResize(Eigen::NoChange, matrix.cols() + 1);
    matrix.rightCols(1).setOnes();
  }
  layer.attention.mask = MaskKind::None;
  layer.attention.rules = {};
  layer.allowed = {};
  if (!all) set_pair_mask(layer, open);
}

void add_score_bias(Layer& layer, PairArray bias) {
  if (layer.score_bias.empty())
    layer.score_bias = std::move(bias);
  else
    layer.score_bias =
        joined(layer.score_bias, bias, [](const Matrix& a, const Matrix& b) { return Matrix(a + b); });
}

void fit_custom_mask(Layer& layer) {
  const Index queries = layer.token_count(), keys = layer.key_count();
  if (layer.custom_mask.size() == 0 ||
      (layer.custom_mask.rows() == queries && layer.custom_mask.cols() == keys))
    return;
  layer.custom_mask = fitted_mask(layer.custom_mask, queries, keys);
}

void place_scores(Layer& layer, const NamedArray& scores) {
  const Index heads = layer.head_count(), queries = layer.token_count(), keys = layer.key_count();
  const Index sequences = static_cast<Index>(scores.values.size()) / (heads * queries * keys);
  const PairArray pairs = pairs_in(scores, {sequences, heads, queries}, keys);
  const Index kv_heads = layer.kv_head_count();
  const auto units = static_cast<std::size_t>(sequences);
  for (Index b = 0; b < sequences; ++b) {
    Matrix rows(queries, heads * keys);
    for (Index h = 0; h < heads; ++h)
      rows.middleCols(h * keys, keys) =
          pairs.of(b, h).unaryExpr([](float value) { return std::isfinite(value) ? value : 0.0f; });
    layer.given[0].push_back(std::move(rows));
  }
  layer.given[1].assign(units, Matrix::Identity(keys, keys).replicate(1, kv_heads));
  if (layer.given[2].empty()) layer.given[2].assign(units, Matrix::Identity(keys, keys));
  AttentionSettings& a = layer.attention;
  a.position = {};
  a.softcap = 0;
  a.scale.kind = ScaleKind::None;
  a.normalization = Normalization::Softmax;
  a.dropout.training = false;
  a.mask = MaskKind::None;
  a.rules = {};
  layer.allowed = {};
  layer.score_bias = {};
  const PairArray open = closed_by(pairs);
  if (!open.empty()) set_pair_mask(layer, open);
}

}  // namespace headlight
