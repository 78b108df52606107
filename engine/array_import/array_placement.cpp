#include "engine/array_import/array_placement.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "engine/array_import/pair_masks.h"
#include "engine/core/error.h"
#include "engine/layer/lines.h"
#include "engine/layer/mask_presets.h"
#include "engine/layer/reshape.h"
#include "engine/layer/tokenize.h"

namespace headlight {
namespace {

using Map = Eigen::Map<const Matrix>;

// "row 3, column 2" of value number `at`, counted from 1; of an array of one dimension "place 3".
std::string place_of(const std::vector<Index>& shape, Index at) {
  if (shape.size() < 2) return "place " + std::to_string(at + 1);
  const Index columns = shape.back(), rows = shape[shape.size() - 2];
  const std::string place =
      "row " + std::to_string(at / columns % rows + 1) + ", column " + std::to_string(at % columns + 1);
  const Index matrix = at / (columns * rows);
  return shape.size() > 2 ? "matrix " + std::to_string(matrix + 1) + ", " + place : place;
}

// Splits each fused array into the three that it holds.
std::vector<PlacedArray> apart(std::vector<PlacedArray> arrays, const ArrayPlan& plan) {
  const Index groups = plan.num_kv_heads > 0 ? plan.num_kv_heads : plan.num_heads;
  std::vector<PlacedArray> result;
  for (PlacedArray& placed : arrays) {
    const bool weight = is_weight(placed.role);
    if (!is_fused(placed.role)) {
      result.push_back(std::move(placed));
      continue;
    }
    if (!weight && placed.array.shape.size() == 2) placed.array.shape = {placed.array.shape[1]};
    constexpr std::array kWeights = {ArrayRole::QueryWeight, ArrayRole::KeyWeight, ArrayRole::ValueWeight};
    constexpr std::array kBiases = {ArrayRole::QueryBias, ArrayRole::KeyBias, ArrayRole::ValueBias};
    const bool by_heads = is_fused_by_heads(placed.role) || placed.by_groups;
    std::array<NamedArray, 3> parts = split_fused(
        placed.array, placed.layout, FusedSplit{plan.width, plan.kv_width, by_heads ? groups : 1});
    for (std::size_t i = 0; i < parts.size(); ++i)
      result.push_back({std::move(parts[i]), (weight ? kWeights : kBiases)[i], placed.layout, {}});
  }
  return result;
}

const PlacedArray* find(const std::vector<PlacedArray>& arrays, ArrayRole role) {
  const auto at = std::find_if(arrays.begin(), arrays.end(),
                               [role](const PlacedArray& placed) { return placed.role == role; });
  return at == arrays.end() ? nullptr : &*at;
}

ArrayRole role_of(ArrayRole query, Parameter p) {
  return static_cast<ArrayRole>(static_cast<std::size_t>(query) + static_cast<std::size_t>(p));
}

std::vector<Matrix> matrices_in(const NamedArray& array, Index count, Index rows, Index columns) {
  std::vector<Matrix> matrices;
  for (Index i = 0; i < count; ++i)
    matrices.emplace_back(Map(array.values.data() + i * rows * columns, rows, columns));
  return matrices;
}

// From 0, like positions in files.
std::vector<std::string> numbered(Index count, Index first = 0) {
  std::vector<std::string> labels;
  for (Index i = 0; i < count; ++i)
    labels.push_back(std::to_string(first + i));
  return labels;
}

// Whether the tokens are those of all keys, the last of which are the queries.
bool of_last_queries(const ArrayPlan& plan, const NamedArray& tokens) {
  return plan.key_tokens > plan.tokens && static_cast<Index>(tokens.texts.size()) == plan.key_tokens &&
         plan.causal;
}

// Whether tokens_in accepts this number, as text or as ids.
bool holds_tokens(const NamedArray& array, Index count) {
  if (!array.texts.empty()) return static_cast<Index>(array.texts.size()) == count;
  return static_cast<Index>(array.values.size()) == count ||
         1 + std::count(array.values.begin(), array.values.end(), 0.0f) == count;
}

// The names of one sequence's tokens, at their positions in the batch.
std::vector<std::string> tokens_of_part(const NamedArray& tokens, const SequencePart& part, Index positions) {
  const std::vector<std::string> names = tokens_in(tokens, part.count);
  std::vector<std::string> labels(static_cast<std::size_t>(positions));
  std::copy(names.begin(), names.end(), labels.begin() + part.first);
  return labels;
}

void place_given_tokens(Layer& layer, const ArrayPlan& plan, const NamedArray& tokens,
                        const std::optional<SequencePart>& alone) {
  if (!of_last_queries(plan, tokens)) {
    const bool of_part = alone && alone->count > 0 && !holds_tokens(tokens, plan.tokens);
    layer.tokens = of_part ? tokens_of_part(tokens, *alone, plan.tokens) : tokens_in(tokens, plan.tokens);
    return;
  }
  layer.tokens = {tokens.texts.end() - plan.tokens, tokens.texts.end()};
}

void place_tokens(Layer& layer, const ArrayPlan& plan, const std::vector<PlacedArray>& arrays,
                  const std::optional<SequencePart>& alone) {
  switch (plan.tokens_fate) {
    case TokensSource::Kept:
      break;
    case TokensSource::Numbered:  // the last queries of a text have its last positions
      layer.tokens = numbered(plan.tokens, plan.first_number);
      break;
    case TokensSource::RowLabels:
      layer.tokens = find(arrays, plan.projection == Projection::Weights ? ArrayRole::AttentionWeights
                                                                         : ArrayRole::Embeddings)
                         ->row_labels;
      break;
    case TokensSource::Given:
      place_given_tokens(layer, plan, find(arrays, ArrayRole::Tokens)->array, alone);
      break;
  }
  if (plan.tokens_fate != TokensSource::Kept) layer.lineage.tokens = new_lines(plan.tokens);
  if (plan.key_tokens != layer.key_count()) layer.lineage.keys = new_lines(plan.key_tokens);
  if (plan.key_tokens != layer.key_count() || layer.self_attention() || plan.keys_numbered)
    layer.key_tokens = numbered(plan.key_tokens);
  if (const PlacedArray* tokens = find(arrays, ArrayRole::Tokens);
      tokens && of_last_queries(plan, tokens->array))
    layer.key_tokens = tokens_in(tokens->array, plan.key_tokens);
  if (layer.self_attention() || plan.embeddings_given) layer.key_embeddings.clear();
  if (plan.key_embeddings_given)
    layer.key_embeddings = matrices_in(find(arrays, ArrayRole::KeyEmbeddings)->array, plan.sequences,
                                       plan.key_tokens, plan.key_d_in);
  if (plan.embeddings_left_out) {
    layer.embeddings.clear();
    layer.key_embeddings.clear();
  }
  if (plan.embeddings_given)
    layer.embeddings =
        matrices_in(find(arrays, ArrayRole::Embeddings)->array, plan.sequences, plan.tokens, plan.d_in);
  else if (plan.embeddings_drawn)
    layer.embeddings.assign(static_cast<std::size_t>(plan.sequences),
                            draw_token_embeddings(layer.tokens, plan.recipe.seed, plan.d_in));
}

// B x H x T x d_k as B x T x d_out, heads side by side.
NamedArray heads_joined(const NamedArray& array) {
  if (array.shape.size() != 4) return array;
  const Index sequences = array.shape[0], heads = array.shape[1], tokens = array.shape[2];
  const Index width = array.shape[3];
  NamedArray joined{array.name, {sequences, tokens, heads * width}, {}};
  for (Index b = 0; b < sequences; ++b)
    for (Index t = 0; t < tokens; ++t)
      for (Index h = 0; h < heads; ++h) {
        const auto from = array.values.begin() + ((b * heads + h) * tokens + t) * width;
        joined.values.insert(joined.values.end(), from, from + width);
      }
  return joined;
}

ArrayRole given_role(std::size_t part) {
  return static_cast<ArrayRole>(static_cast<std::size_t>(ArrayRole::Queries) + part);
}

// before: the model before the change; its queries, keys and values stay where no array gives them.
void place_given(Layer& layer, const ArrayPlan& plan, const std::vector<PlacedArray>& arrays,
                 const Layer& before) {
  if (plan.projection != Projection::Given || plan.scores) layer.given = {};
  if (plan.projection != Projection::Weights) layer.given_weights = {};
  if (std::find(plan.given.begin(), plan.given.end(), PartSource::Kept) != plan.given.end()) {
    Layer now = before;
    set_projection(now, Projection::Given);
    layer.given = std::move(now.given);
  }
  for (std::size_t p = 0; p < plan.given.size(); ++p) {
    if (plan.given[p] != PartSource::Given || (plan.scores && !find(arrays, given_role(p)))) continue;
    const ArrayRole role = given_role(p);
    const Index rows = p > 0 && plan.key_tokens > 0 ? plan.key_tokens : plan.tokens;
    layer.given[p] = matrices_in(heads_joined(find(arrays, role)->array), plan.sequences, rows,
                                 plan.out_of(kParameters[p]));
  }
  if (const PlacedArray* attention = find(arrays, ArrayRole::AttentionWeights))
    layer.given_weights = {
        plan.sequences, plan.num_heads,
        matrices_in(attention->array, plan.sequences * plan.num_heads, plan.tokens, layer.key_count())};
}

// Sets what a layer of this family has beside its arrays, as after model.eval().
void place_family(Layer& model, const LayerSettings& layer) {
  if (layer.only_heads_known) return;
  AttentionSettings& a = model.attention;
  a.position = layer.position;
  if (static_cast<Index>(a.position.slopes.size()) != a.num_heads) a.position.slopes.clear();
  a.scale = layer.scale;
  a.softcap = layer.softcap;
  a.normalization = Normalization::Softmax;
  a.dropout.training = false;
  a.disabled_heads.clear();
  a.sinks.clear();
  if (!layer.mask_stated) return;
  a.rules = {};
  a.mask = MaskKind::None;
  model.allowed = {};
  model.score_bias = {};
  if (layer.causal) set_causal(model);
  if (!layer.window) return;
  as_rules(model);
  a.rules.left = *layer.window - 1;
  if (!layer.causal) a.rules.right = *layer.window - 1;
}

void place_relative_bias(Layer& layer, const ArrayPlan& plan, const NamedArray& table) {
  const Index heads = plan.num_heads, queries = plan.tokens, keys = layer.key_count();
  if (heads * queries > kMostLayerNumbers / keys)
    throw Error("the bias of " + std::to_string(heads) + " heads for " + shape_text({queries, keys}) +
                    " pairs is more than a model can hold",
                table.name, "take fewer tokens, or leave the bias out");
  layer.score_bias =
      relative_bias(Map(table.values.data(), table.shape[0], table.shape[1]), queries, keys, plan.buckets);
}

// Removes what was set for pairs of other tokens.
void clear_pair_settings(Layer& layer, const Layer& before) {
  if (layer.token_count() == before.token_count() && layer.key_count() == before.key_count() &&
      layer.sequence_count() == before.sequence_count() && layer.head_count() == before.head_count())
    return;
  layer.score_bias = {};
  layer.allowed = {};
  layer.attention.rules.keys.clear();
  if (layer.attention.rules.offsets.size() > 1) layer.attention.rules.offsets.clear();
  layer.attention.position.slopes.clear();
}

// Places the given masks and bias, and adapts the model's own.
void place_pairs(Layer& layer, const ArrayPlan& plan, const std::vector<PlacedArray>& arrays) {
  if (plan.projection == Projection::Weights) {
    layer.attention.mask = MaskKind::None;
    layer.custom_mask.resize(0, 0);
    layer.score_bias = {};
    layer.attention.position = {};
    layer.attention.softcap = 0;
    layer.attention.sinks.clear();
    return;
  }
  const PlacedArray* mask = find(arrays, ArrayRole::Mask);
  if (mask && !plan.key_mask)
    set_pair_mask(layer, pairs_in(mask->array, plan.mask_axes, layer.key_count()));
  else
    fit_custom_mask(layer);
  if (mask && plan.key_mask) add_key_mask(layer, mask->array);
  if (const PlacedArray* padding = find(arrays, ArrayRole::KeyMask)) add_key_mask(layer, padding->array);
  if (const PlacedArray* bias = find(arrays, ArrayRole::ScoreBias))
    add_score_bias(layer, pairs_in(bias->array, *plan.bias_axes, layer.key_count()));
  for (const PlacedArray& placed : arrays)
    if (says_texts(placed.role)) add_texts(layer, placed.array, placed.role);
  // If there are other numbers of queries than of keys of the same text, they are its last ones.
  const bool last =
      layer.attention.mask == MaskKind::Causal && !plan.key_embeddings_given && plan.key_tokens > 0;
  if (plan.causal || last) set_causal(layer, plan.upper_left);
  if (!plan.stated.window) return;
  as_rules(layer);
  layer.attention.rules.left = std::max<Index>(static_cast<Index>(plan.stated.window->value) - 1, 0);
}

// Sinks, slopes and heads that are off, and the settings that single numbers state.
void place_beside(Layer& layer, const ArrayPlan& plan, const std::vector<PlacedArray>& arrays) {
  AttentionSettings& a = layer.attention;
  if (!a.sinks.empty() && static_cast<Index>(a.sinks.size()) != a.num_heads) a.sinks.clear();
  if (const PlacedArray* sinks = find(arrays, ArrayRole::Sinks)) {
    a.sinks.assign(sinks->array.values.begin(), sinks->array.values.end());
    a.normalization = Normalization::Softmax;
  }
  if (const PlacedArray* slopes = find(arrays, ArrayRole::Slopes)) {
    a.position = {};
    a.position.kind = PositionKind::Alibi;
    a.position.slopes.assign(slopes->array.values.begin(), slopes->array.values.end());
  }
  if (const PlacedArray* heads = find(arrays, ArrayRole::HeadMask)) {
    a.disabled_heads.clear();
    for (std::size_t head = 0; head < heads->array.values.size(); ++head) {
      const float on = heads->array.values[head];
      if (on != 0 && on != 1)
        throw Error("head " + std::to_string(head) + " has " + std::to_string(on) + ", expected 0 or 1",
                    heads->array.name, "multiply the values of this head by it, and leave the array out");
      if (on == 0) a.disabled_heads.push_back(static_cast<Index>(head));
    }
  }
  const StatedSettings& stated = plan.stated;
  if (stated.scale) a.scale = {ScaleKind::Number, stated.scale->value};
  if (stated.softcap) a.softcap = stated.softcap->value;
  if (!stated.dropout) return;
  a.dropout.probability = stated.dropout->value;
  a.dropout.training = false;
}

// All parameters, drawn in the new shapes by the plan's recipe.
Weights drawn_weights(const Layer& layer, const ArrayPlan& plan) {
  Layer shell;
  shell.attention = layer.attention;
  shell.embeddings = {Matrix::Zero(1, plan.d_in)};
  shell.key_embeddings = {Matrix::Zero(1, plan.key_d_in)};
  draw_weights(shell, plan.recipe);
  return std::move(shell.weights);
}

Matrix weight_from(const PlacedArray& placed, WeightLayout layout) {
  const Map matrix(placed.array.values.data(), placed.array.shape[0], placed.array.shape[1]);
  return placed.layout == layout ? Matrix(matrix) : Matrix(matrix.transpose());
}

Matrix bias_from(const NamedArray& array) {
  return Map(array.values.data(), 1, static_cast<Index>(array.values.size()));
}

void place_weights(Layer& layer, const ArrayPlan& plan, const std::vector<PlacedArray>& arrays) {
  const auto any = [&](PartSource fate) {
    return std::find(plan.weights.begin(), plan.weights.end(), fate) != plan.weights.end() ||
           std::find(plan.biases.begin(), plan.biases.end(), fate) != plan.biases.end();
  };
  const bool drawn = any(PartSource::Drawn), given = any(PartSource::Given), kept = any(PartSource::Kept);
  if (drawn && !given && !kept) return draw_weights(layer, plan.recipe);
  const Weights fresh = drawn ? drawn_weights(layer, plan) : Weights{};
  Weights& weights = layer.weights;
  for (const Parameter p : kParameters) {
    Matrix& w = weights.matrix(p);
    if (plan.weight(p) == PartSource::Given)
      w = weight_from(*find(arrays, role_of(ArrayRole::QueryWeight, p)), plan.layout);
    else if (plan.weight(p) == PartSource::Drawn)
      w = fresh.matrix(p);
    else if (plan.layout != weights.layout)
      w.transposeInPlace();
    Matrix& bias = weights.bias(p);
    if (plan.bias(p) == PartSource::Given)
      bias = bias_from(find(arrays, role_of(ArrayRole::QueryBias, p))->array);
    if (plan.bias(p) == PartSource::Drawn) bias = fresh.bias(p);
    if (plan.bias(p) == PartSource::Zeros) bias = Matrix::Zero(1, plan.out_of(p));
  }
  weights.layout = plan.layout;
  // If everything is given, the recipe by which the weights were once drawn no longer applies.
  if (given && !drawn && !kept) weights.recipe.reset();
  if (given || drawn) weights.edited = weights.recipe.has_value();
}

void place_settings(Layer& layer, const ArrayPlan& plan) {
  AttentionSettings& a = layer.attention;
  if (a.num_heads != plan.num_heads || a.d_out != plan.d_out) a.disabled_heads.clear();
  a.projection = plan.projection;
  a.d_out = plan.d_out;
  a.num_heads = plan.num_heads;
  a.num_kv_heads = plan.num_kv_heads;
  a.d_k = plan.d_k;
  a.d_v = plan.d_v;
  a.qkv_bias = plan.qkv_bias;
  a.output_projection = plan.output_projection;
}

void remove_tokens(Layer& layer, Index at, Index count) {
  if (count > 0) change_lines(layer, {LineKind::Token, LineChange::Remove, at, count, 0});
}

// What closed the padding has nothing left to close.
void simplify_mask(Layer& layer) {
  const AttentionSettings& a = layer.attention;
  const bool window = a.mask == MaskKind::Rules && (a.rules.left || a.rules.right);
  if (a.mask == MaskKind::None || a.mask == MaskKind::Causal || window) return;
  const PairArray open = allowed_pairs(layer);
  const bool all = std::all_of(open.matrices.begin(), open.matrices.end(),
                               [](const Matrix& matrix) { return matrix.isOnes(0); });
  if (!all) return set_pair_mask(layer, open);
  layer.attention.mask = MaskKind::None;
  layer.attention.rules = {};
  layer.allowed = {};
  layer.custom_mask.resize(0, 0);
}

// Removes all other sequences, and all tokens but those of the part.
void take_alone(Layer& layer, const SequencePart& part) {
  for (Index sequence = layer.sequence_count(); sequence-- > 0;)
    if (sequence != part.sequence) remove_sequence(layer, sequence);
  const Index tokens = layer.token_count();
  if (part.count == 0 || part.count == tokens) return;
  remove_tokens(layer, part.first + part.count, tokens - part.first - part.count);
  remove_tokens(layer, 0, part.first);
  simplify_mask(layer);
}

}  // namespace

Layer place_arrays(std::vector<PlacedArray> arrays, std::optional<Index> num_heads, const Layer& model,
                   const LayerHints& hints) {
  std::vector<ArrayChoice> choices;
  for (const PlacedArray& placed : arrays) {
    choices.push_back({placed.array.name, placed.array.shape, placed.role, placed.layout,
                       placed.role == ArrayRole::Embeddings && !placed.row_labels.empty()});
    choices.back().heads = placed.heads;
    if (const auto problem = values_problem(placed.array, placed.role)) throw *problem;
  }
  const ArrayPlan plan = plan_arrays(choices, num_heads, model, hints);
  const std::vector<PlacedArray> parts = apart(std::move(arrays), plan);
  Layer result = model;
  place_settings(result, plan);
  place_tokens(result, plan, parts, hints.alone);
  place_given(result, plan, parts, model);
  clear_pair_settings(result, model);
  if (plan.scores) place_scores(result, find(parts, ArrayRole::Scores)->array);
  if (plan.layer) place_family(result, *plan.layer);
  if (plan.relative_bias) place_relative_bias(result, plan, find(parts, ArrayRole::RelativeBias)->array);
  place_pairs(result, plan, parts);
  place_beside(result, plan, parts);
  place_weights(result, plan, parts);
  if (hints.alone) take_alone(result, *hints.alone);
  if (!plan.learned.empty())
    append_key(result, plan.learned, find(parts, ArrayRole::LearnedKey)->array,
               find(parts, ArrayRole::LearnedValue)->array);
  validate(result);
  return result;
}

std::optional<Error> values_problem(const NamedArray& array, ArrayRole role) {
  if (role == ArrayRole::AttentionWeights) return std::nullopt;
  const bool closing = role == ArrayRole::Mask || role == ArrayRole::KeyMask ||
                       role == ArrayRole::ScoreBias || role == ArrayRole::Scores;
  return values_problem(array, closing ? InfinityIs::Closing : InfinityIs::Wrong);
}

std::optional<Error> values_problem(const NamedArray& array, InfinityIs infinity) {
  const auto first = std::find_if_not(array.values.begin(), array.values.end(), [=](float value) {
    return std::isfinite(value) || (infinity == InfinityIs::Closing && value < 0);
  });
  if (first == array.values.end()) return std::nullopt;
  const ArraySummary summary = summary_of(array);
  std::string count;
  if (summary.nan_count > 0) count = std::to_string(summary.nan_count) + " NaN";
  if (summary.infinity_count > 0)
    count += (count.empty() ? "" : " and ") + std::to_string(summary.infinity_count) + " infinite";
  return Error("holds " + count + ", the first in " +
                   place_of(array.shape, static_cast<Index>(first - array.values.begin())),
               array.name, "inputs are finite numbers: replace NaN and infinity");
}

std::vector<std::string> tokens_in(const NamedArray& array, Index count) {
  if (!array.texts.empty() && static_cast<Index>(array.texts.size()) == count) return array.texts;
  if (!array.texts.empty())
    throw Error("holds " + std::to_string(array.texts.size()) + " tokens, T is " + std::to_string(count),
                array.name, "one token for each row");
  const auto is_byte = [](float value) { return value >= 0 && value <= 255 && value == std::floor(value); };
  std::vector<std::string> tokens;
  if (std::all_of(array.values.begin(), array.values.end(), is_byte)) {
    tokens.emplace_back();
    for (const float value : array.values) {
      if (value == 0)
        tokens.emplace_back();
      else
        tokens.back() += static_cast<char>(static_cast<unsigned char>(value));
    }
    if (static_cast<Index>(tokens.size()) == count) return tokens;
  }
  const std::size_t texts = tokens.size();
  if (static_cast<Index>(array.values.size()) != count)
    throw Error("holds " + (texts > 0 ? std::to_string(texts) + " tokens" : "no text") + ", T is " +
                    std::to_string(count),
                array.name, "one token for each row of the embeddings, with a byte 0 between two");
  tokens.clear();
  constexpr float kMostId = 1e9f;  // far beyond any vocabulary, and exact as a whole number
  for (const float id : array.values) {
    if (!(std::abs(id) <= kMostId) || id != std::floor(id))
      throw Error("holds " + std::to_string(id) + ", which is no number of a token", array.name,
                  "whole numbers, as a tokenizer gives them, or text");
    tokens.push_back(std::to_string(static_cast<long long>(id)));
  }
  return tokens;
}

}  // namespace headlight
