// Random models of every kind and shape, the same on every machine; and bitwise equality of models.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "engine/layer/layer.h"
#include "engine/layer/overwriting.h"
#include "engine/layer/reshape.h"

namespace headlight_test {

// Random numbers. The distributions of <random> may differ between standard libraries; these do not.
class Dice {
 public:
  explicit Dice(std::uint32_t seed) : engine_(seed) {}

  headlight::Index below(headlight::Index count) {
    return static_cast<headlight::Index>(engine_() % static_cast<std::uint32_t>(count));
  }
  headlight::Index between(headlight::Index low, headlight::Index high) {
    return low + below(high - low + 1);
  }
  bool chance(double probability) { return real(0.0, 1.0) < probability; }
  double real(double low, double high) { return low + (high - low) * (engine_() * 0x1p-32); }
  template <class T>
  T pick(const std::vector<T>& from) {
    return from[static_cast<std::size_t>(below(static_cast<headlight::Index>(from.size())))];
  }
  headlight::Matrix matrix(headlight::Index rows, headlight::Index columns, double reach = 1.0) {
    headlight::Matrix result(rows, columns);
    for (headlight::Index i = 0; i < result.size(); ++i)
      result.data()[i] = static_cast<float>(real(-reach, reach));
    return result;
  }
  // Entries of 0 and 1; with probability 0.2 a row is all 0.
  headlight::Matrix mask(headlight::Index queries, headlight::Index keys) {
    headlight::Matrix result(queries, keys);
    for (headlight::Index row = 0; row < queries; ++row) {
      const double density = chance(0.2) ? 0.0 : 0.6;
      for (headlight::Index column = 0; column < keys; ++column)
        result(row, column) = chance(density) ? 1.0f : 0.0f;
    }
    return result;
  }
  headlight::Matrix mask(headlight::Index token_count) { return mask(token_count, token_count); }

 private:
  std::mt19937 engine_;
};

inline headlight::Dropout random_dropout(Dice& dice) {
  headlight::Dropout dropout;
  dropout.probability = dice.pick<double>({0.0, 0.1, 0.5, 1.0});
  dropout.training = dice.chance(0.75);
  if (dice.chance(0.5)) dropout.seed = dice.between(-3, 200);
  if (dice.chance(0.3)) dropout.build = headlight::DropoutBuild::Mkl;
  return dropout;
}

// Every setting that leaves the shapes unchanged: scale, mask, normalization, dropout.
inline void randomize_settings(Dice& dice, headlight::Layer& layer) {
  using namespace headlight;
  AttentionSettings& a = layer.attention;
  a.scale.kind = dice.pick<ScaleKind>({ScaleKind::InverseSqrtDk, ScaleKind::None, ScaleKind::Number});
  a.scale.number = dice.pick<double>({0.25, 1.0, -0.7, 0.0, 1.75});
  a.mask = dice.pick<MaskKind>({MaskKind::None, MaskKind::Causal, MaskKind::Custom});
  a.normalization =
      dice.pick<Normalization>({Normalization::Softmax, Normalization::NaiveSoftmax, Normalization::Sum});
  a.dropout = random_dropout(dice);
  a.disabled_heads.clear();
  for (Index head = 0; head < a.num_heads; ++head)
    if (dice.chance(0.15)) a.disabled_heads.push_back(head);
}

inline headlight::WeightRecipe random_recipe(Dice& dice) {
  using namespace headlight;
  WeightRecipe recipe;
  recipe.init = dice.chance(0.5) ? InitKind::Rand : InitKind::Linear;
  recipe.seed = dice.between(-5, 1000);
  for (std::size_t last = recipe.order.size() - 1; last > 0; --last)
    std::swap(recipe.order[last],
              recipe.order[static_cast<std::size_t>(dice.below(static_cast<Index>(last) + 1))]);
  return recipe;
}

// Weights without a recipe, as a file may contain them.
inline void set_random_weights(Dice& dice, headlight::Layer& layer) {
  using namespace headlight;
  layer.weights.recipe.reset();
  layer.weights.layout = dice.chance(0.5) ? WeightLayout::InOut : WeightLayout::OutIn;
  for (Parameter p : kParameters) {
    const auto [rows, columns] = expected_shape(layer, p);
    if (layer.uses(p)) layer.weights.matrix(p) = dice.matrix(rows, columns);
    if (layer.uses_bias(p)) layer.weights.bias(p) = dice.matrix(1, parameter_width(layer, p));
  }
}

// T 1..12, d_in 1..6, heads 1..4, d_out 1..12, B 1..3, every setting. A custom mask exists even if unused.
inline headlight::Layer random_layer(Dice& dice) {
  using namespace headlight;
  Layer layer;
  const Index token_count = dice.between(1, 12), d_in = dice.between(1, 6);
  for (Index t = 0; t < token_count; ++t)
    layer.tokens.push_back(std::to_string(t));
  for (Index b = dice.between(1, 3); b > 0; --b)
    layer.embeddings.push_back(dice.matrix(token_count, d_in, 1.5));

  AttentionSettings& a = layer.attention;
  a.projection = dice.chance(0.6)   ? Projection::Linear
                 : dice.chance(0.6) ? Projection::None
                                    : Projection::Given;
  a.num_heads = dice.between(1, 4);
  if (a.projection != Projection::None) {
    a.d_out = a.num_heads * dice.between(1, 3);
  } else {
    a.d_out = d_in;
    while (d_in % a.num_heads != 0)
      --a.num_heads;
  }
  if (a.projection == Projection::Given)
    for (std::vector<Matrix>& matrices : layer.given)
      while (matrices.size() < layer.embeddings.size())
        matrices.push_back(dice.matrix(token_count, a.d_out));
  a.qkv_bias = dice.chance(0.5);
  a.output_projection = dice.chance(0.5);
  layer.custom_mask = dice.mask(token_count);
  randomize_settings(dice, layer);
  if (dice.chance(0.5))
    set_random_weights(dice, layer);
  else
    draw_weights(layer, random_recipe(dice));
  return layer;
}

// The next random model for which `wanted` returns true.
inline headlight::Layer random_model_where(Dice& dice,
                                           const std::function<bool(const headlight::Layer&)>& wanted) {
  for (;;) {
    headlight::Layer layer = random_layer(dice);
    if (wanted(layer)) return layer;
  }
}

inline headlight::PairArray random_pairs(
    Dice& dice, const headlight::Layer& layer, bool may_spread,
    const std::function<headlight::Matrix(headlight::Index, headlight::Index)>& make) {
  using namespace headlight;
  PairArray array;
  array.sequences = dice.chance(0.5) ? 1 : layer.sequence_count();
  array.heads = dice.chance(0.5) ? 1 : layer.head_count();
  const Index rows = may_spread && dice.chance(0.3) ? 1 : layer.token_count();
  const Index columns = may_spread && dice.chance(0.3) ? 1 : layer.key_count();
  for (Index i = 0; i < array.sequences * array.heads; ++i)
    array.matrices.push_back(make(rows, columns));
  return array;
}

// Rule masks, positions, softcap and score bias, each by chance; the shapes do not change.
inline void randomize_layer(Dice& dice, headlight::Layer& layer) {
  using namespace headlight;
  AttentionSettings& a = layer.attention;
  const Index sequences = layer.sequence_count(), keys = layer.key_count();
  if (dice.chance(0.6)) {
    a.mask = MaskKind::Rules;
    a.rules = {};
    a.rules.causal = dice.chance(0.5);
    if (dice.chance(0.5)) a.rules.offsets = {dice.between(-2, keys)};
    if (dice.chance(0.3)) {
      a.rules.offsets.clear();
      for (Index b = 0; b < sequences; ++b)
        a.rules.offsets.push_back(dice.between(-2, keys));
    }
    if (dice.chance(0.4)) a.rules.left = dice.between(0, 4);
    if (dice.chance(0.3)) a.rules.right = dice.between(0, 4);
    if (dice.chance(0.4))
      for (Index b = 0; b < sequences; ++b)
        a.rules.keys.push_back(dice.between(0, keys));
    layer.allowed = {};
    if (dice.chance(0.4))
      layer.allowed = random_pairs(dice, layer, false,
                                   [&](Index rows, Index columns) { return dice.mask(rows, columns); });
  }
  a.softcap = dice.chance(0.3) ? dice.pick<double>({0.5, 2.0, 50.0}) : 0.0;
  a.position = {};
  if (layer.d_k() >= 2 && dice.chance(0.4)) {
    a.position.kind = PositionKind::Rotary;
    a.position.theta = dice.pick<double>({10000.0, 500000.0, 17.5});
    a.position.pairs = dice.chance(0.5) ? RotaryPairs::Halves : RotaryPairs::Neighbours;
    a.position.start = dice.between(-3, 9);
    a.position.key_start = dice.between(-3, 9);
    if (dice.chance(0.3))
      a.position.scaling = {
          dice.real(0.5, 8),
          dice.real(0.5, 2),
          dice.real(2.5, 8),
          dice.between(4, 64),
          dice.pick<RotaryBlend>({RotaryBlend::Turns, RotaryBlend::WholePairs, RotaryBlend::Pairs}),
          dice.chance(0.5) ? 1 : dice.real(0.5, 2)};
    if (layer.d_k() % 2 == 1 || dice.chance(0.3)) a.position.dims = 2 * dice.between(1, layer.d_k() / 2);
  } else if (dice.chance(0.3)) {
    a.position.kind = PositionKind::Alibi;
    if (dice.chance(0.3))
      for (Index head = 0; head < a.num_heads; ++head)
        a.position.slopes.push_back(dice.real(-1, 1));
  }
  layer.score_bias = {};
  if (dice.chance(0.4))
    layer.score_bias = random_pairs(dice, layer, true, [&](Index rows, Index columns) {
      Matrix bias = dice.matrix(rows, columns);
      for (Index i = 0; i < bias.size(); ++i)
        if (dice.chance(0.1)) bias.data()[i] = -std::numeric_limits<float>::infinity();
      return bias;
    });
}

// A layer like those of real models: keys of other tokens, grouped heads, separate widths, masks, positions
// or given weights, besides everything that `random_layer` varies.
inline headlight::Layer random_cross_layer(Dice& dice) {
  using namespace headlight;
  Layer layer;
  AttentionSettings& a = layer.attention;
  const Index queries = dice.between(1, 8), keys = dice.chance(0.5) ? queries : dice.between(1, 10);
  const Index sequences = dice.between(1, 3), d_in = dice.between(1, 6);
  for (Index t = 0; t < queries; ++t)
    layer.tokens.push_back("q" + std::to_string(t));
  if (keys != queries || dice.chance(0.3))
    for (Index t = 0; t < keys; ++t)
      layer.key_tokens.push_back("k" + std::to_string(t));
  a.projection = dice.chance(0.5)   ? Projection::Linear
                 : dice.chance(0.7) ? Projection::Given
                                    : Projection::Weights;
  const bool linear = a.projection == Projection::Linear;
  const bool others = !layer.key_tokens.empty() && (linear || dice.chance(0.3));
  const Index key_d_in = dice.between(1, 6);
  if (linear || others || dice.chance(0.3))
    for (Index b = 0; b < sequences; ++b) {
      layer.embeddings.push_back(dice.matrix(queries, d_in, 1.5));
      if (others) layer.key_embeddings.push_back(dice.matrix(keys, key_d_in, 1.5));
    }
  const Index groups = dice.between(1, 3);
  a.num_heads = groups * dice.between(1, 3);
  a.num_kv_heads = groups == a.num_heads ? 0 : groups;
  a.d_k = dice.between(1, 5);
  a.d_v = dice.between(1, 4);
  a.qkv_bias = dice.chance(0.5);
  const bool values = a.projection != Projection::Weights || dice.chance(0.6);
  a.output_projection = values && dice.chance(0.5);
  a.d_out = a.output_projection ? dice.between(1, 7) : a.num_heads * a.d_v;
  for (std::size_t p = a.projection == Projection::Weights ? 2 : 0; p < 3 && !linear && values; ++p)
    for (Index b = 0; b < sequences; ++b)
      layer.given[p].push_back(dice.matrix(p == 0 ? queries : keys, parameter_width(layer, kParameters[p])));
  if (a.projection == Projection::Weights) {
    layer.given_weights.sequences = sequences;
    layer.given_weights.heads = a.num_heads;
    for (Index i = 0; i < sequences * a.num_heads; ++i)
      layer.given_weights.matrices.push_back(dice.matrix(queries, keys).cwiseAbs());
  }
  layer.custom_mask = dice.mask(queries, keys);
  randomize_settings(dice, layer);
  if (a.projection == Projection::Weights)
    a.mask = MaskKind::None;
  else
    randomize_layer(dice, layer);
  if (dice.chance(0.5))
    set_random_weights(dice, layer);
  else
    draw_weights(layer, random_recipe(dice));
  return layer;
}

// A random layer with a sink for each head, and factors of the pairs that turn, where they may be.
inline headlight::Layer random_sink_layer(Dice& dice) {
  using namespace headlight;
  Layer layer = random_cross_layer(dice);
  AttentionSettings& a = layer.attention;
  if (a.position.kind == PositionKind::Rotary)
    for (Index pair = 0; pair < layer.rotary_dims() / 2; ++pair)
      a.position.scaling.factors.push_back(dice.real(0.5, 4));
  if (a.projection == Projection::Weights) return layer;
  a.normalization = Normalization::Softmax;
  for (Index head = 0; head < a.num_heads; ++head)
    a.sinks.push_back(dice.real(-3, 3));
  return layer;
}

// The model's stages of query-key pairs.
inline std::vector<headlight::Stage> pair_stages(const headlight::Layer& layer) {
  std::vector<headlight::Stage> pairs;
  for (const headlight::Stage stage : headlight::stages_in_use(layer))
    if (headlight::is_pair(stage)) pairs.push_back(stage);
  return pairs;
}

// A layer in which some stages are partly overwritten.
inline headlight::Layer random_overwritten_layer(Dice& dice) {
  using namespace headlight;
  Layer layer = random_cross_layer(dice);
  for (const StageInfo& info : stage_table()) {
    if (!may_be_overwritten(layer, info.stage) || dice.chance(0.3)) continue;
    Overwritten block;
    block.stage = info.stage;
    block.sequence = dice.between(0, layer.sequence_count() - 1);
    block.head = dice.between(0, stage_heads(layer, info.stage) - 1);
    block.row = dice.between(0, stage_rows(layer, info.stage) - 1);
    block.column = dice.between(0, stage_columns(layer, info.stage) - 1);
    block.values = dice.matrix(dice.between(1, stage_rows(layer, info.stage) - block.row),
                               dice.between(1, stage_columns(layer, info.stage) - block.column));
    layer.overwritten.push_back(std::move(block));
  }
  return layer;
}

inline bool same_bits(const headlight::Matrix& a, const headlight::Matrix& b) {
  return a.rows() == b.rows() && a.cols() == b.cols() &&
         (a.size() == 0 ||
          std::memcmp(a.data(), b.data(), static_cast<std::size_t>(a.size()) * sizeof(float)) == 0);
}

// Equal values: zeros of either sign are equal, and NaN equals NaN.
inline bool same_numbers(const headlight::Matrix& a, const headlight::Matrix& b) {
  return a.rows() == b.rows() && a.cols() == b.cols() &&
         (a.array() == b.array() || (a.array().isNaN() && b.array().isNaN())).all();
}

template <class Range>
bool all_same_bits(const Range& a, const Range& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), same_bits);
}

// Compares every field, including those not in use.
inline bool same_layer(const headlight::Layer& a, const headlight::Layer& b) {
  const auto same_pairs = [](const headlight::PairArray& left, const headlight::PairArray& right) {
    return left.sequences == right.sequences && left.heads == right.heads &&
           all_same_bits(left.matrices, right.matrices);
  };
  return a.key_tokens == b.key_tokens && all_same_bits(a.key_embeddings, b.key_embeddings) &&
         same_pairs(a.given_weights, b.given_weights) && same_pairs(a.allowed, b.allowed) &&
         same_pairs(a.score_bias, b.score_bias) && a.tokens == b.tokens &&
         all_same_bits(a.embeddings, b.embeddings) && a.attention == b.attention &&
         all_same_bits(a.given[0], b.given[0]) && all_same_bits(a.given[1], b.given[1]) &&
         all_same_bits(a.given[2], b.given[2]) && same_bits(a.custom_mask, b.custom_mask) &&
         a.weights.layout == b.weights.layout && all_same_bits(a.weights.matrices, b.weights.matrices) &&
         all_same_bits(a.weights.biases, b.weights.biases) && a.weights.recipe == b.weights.recipe &&
         a.weights.edited == b.weights.edited;
}

}  // namespace headlight_test
