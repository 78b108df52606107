#include "engine/layer/layer_difference.h"

#include <cstdio>

namespace headlight {
namespace {

using Lines = std::vector<std::string>;

void add_change(Lines& lines, const char* what, const std::string& before, const std::string& after) {
  if (before != after) lines.push_back(std::string(what) + " " + before + " → " + after);
}

void add_count(Lines& lines, const char* what, Index before, Index after) {
  add_change(lines, what, std::to_string(before), std::to_string(after));
}

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%g", value);
  return text;
}

std::string on_off(bool on) {
  return on ? "on" : "off";
}

std::string mask_text(const Layer& layer) {
  switch (layer.attention.mask) {
    case MaskKind::None:
      return "none";
    case MaskKind::Causal:
      return "causal";
    case MaskKind::Custom:
      return "custom";
    case MaskKind::Rules:
      break;
  }
  return "rules";
}

std::string scale_text(const Scale& scale) {
  if (scale.kind == ScaleKind::Number) return number(scale.number);
  return scale.kind == ScaleKind::None ? "none" : "1/√dₖ";
}

std::string normalization_text(Normalization normalization) {
  switch (normalization) {
    case Normalization::Softmax:
      return "softmax";
    case Normalization::NaiveSoftmax:
      return "naive softmax";
    case Normalization::Sum:
      break;
  }
  return "sum";
}

std::string seed_text(const std::optional<std::int64_t>& seed) {
  return seed ? std::to_string(*seed) : "none";
}

std::string heads_off_text(const std::vector<Index>& heads, Counting counting) {
  std::string text;
  for (const Index head : heads)
    text += (text.empty() ? "" : ", ") + counting.number(head);
  return text.empty() ? "none" : text;
}

std::string position_text(PositionKind kind) {
  switch (kind) {
    case PositionKind::None:
      return "none";
    case PositionKind::Rotary:
      return "rotary";
    case PositionKind::Alibi:
      break;
  }
  return "ALiBi";
}

std::string projection_text(Projection kind) {
  switch (kind) {
    case Projection::None:
      return "none";
    case Projection::Linear:
      return "linear";
    case Projection::Given:
      return "Q, K, V given";
    case Projection::Weights:
      break;
  }
  return "weights given";
}

void add_shapes(Lines& lines, const Layer& a, const Layer& b) {
  add_count(lines, "sequences", a.sequence_count(), b.sequence_count());
  add_count(lines, "tokens", a.token_count(), b.token_count());
  add_count(lines, "d_in", a.d_in(), b.d_in());
  add_count(lines, "d_out", a.d_out(), b.d_out());
  add_count(lines, "heads", a.head_count(), b.head_count());
  if (a.attention.num_kv_heads > 0 || b.attention.num_kv_heads > 0)
    add_count(lines, "heads of keys and values", a.kv_head_count(), b.kv_head_count());
  if (a.d_out() == b.d_out() && a.head_count() == b.head_count()) {
    add_count(lines, "dₖ", a.d_k(), b.d_k());
    add_count(lines, "dᵥ", a.d_v(), b.d_v());
  }
  if (a.key_tokens != b.key_tokens) lines.emplace_back("the tokens that are attended to");
  if (a.token_count() != b.token_count()) return;
  Index renamed = 0;
  for (std::size_t i = 0; i < a.tokens.size(); ++i)
    renamed += a.tokens[i] != b.tokens[i];
  if (renamed > 0)
    lines.push_back(std::to_string(renamed) + (renamed == 1 ? " token has" : " tokens have") +
                    " another name");
}

void add_settings(Lines& lines, const Layer& a, const Layer& b, Counting counting) {
  const AttentionSettings &from = a.attention, &to = b.attention;
  add_change(lines, "projection", projection_text(from.projection), projection_text(to.projection));
  add_change(lines, "bias", on_off(from.qkv_bias), on_off(to.qkv_bias));
  add_change(lines, "output projection", on_off(from.output_projection), on_off(to.output_projection));
  add_change(lines, "positions", position_text(from.position.kind), position_text(to.position.kind));
  if (from.position.kind == to.position.kind && from.position != to.position)
    lines.emplace_back("settings of the positions");
  add_change(lines, "softcap", number(from.softcap), number(to.softcap));
  if (from.sinks != to.sinks) lines.emplace_back("sinks");
  add_change(lines, "scale", scale_text(from.scale), scale_text(to.scale));
  add_change(lines, "mask", mask_text(a), mask_text(b));
  if (from.mask == MaskKind::Custom && to.mask == MaskKind::Custom &&
      !same_matrix(a.custom_mask, b.custom_mask))
    lines.emplace_back("mask painted");
  if (from.mask == MaskKind::Rules && to.mask == MaskKind::Rules &&
      (from.rules != to.rules || a.allowed != b.allowed))
    lines.emplace_back("rules of the mask");
  if (a.score_bias != b.score_bias) lines.emplace_back("what is added to the scores");
  add_change(lines, "normalise", normalization_text(from.normalization),
             normalization_text(to.normalization));
  add_change(lines, "dropout", number(from.dropout.probability), number(to.dropout.probability));
  add_change(lines, "dropout seed", seed_text(from.dropout.seed), seed_text(to.dropout.seed));
  const auto build = [](const AttentionSettings& s) {
    return s.dropout.build == DropoutBuild::Mkl ? "PyTorch's wheels on Intel" : "PyTorch";
  };
  add_change(lines, "dropout drawn as", build(from), build(to));
  add_change(lines, "training", on_off(from.dropout.training), on_off(to.dropout.training));
  add_change(lines, "heads off", heads_off_text(from.disabled_heads, counting),
             heads_off_text(to.disabled_heads, counting));
}

// Numbers that a session can hold beside embeddings and parameters.
void add_given(Lines& lines, const Layer& a, const Layer& b) {
  if (!same_matrices(a.key_embeddings, b.key_embeddings))
    lines.emplace_back("embeddings of the keys' tokens");
  constexpr std::array<const char*, 3> kNames = {"queries", "keys", "values"};
  for (std::size_t i = 0; i < kNames.size(); ++i)
    if (!same_matrices(a.given[i], b.given[i])) lines.push_back(std::string("given ") + kNames[i]);
  if (a.given_weights != b.given_weights) lines.emplace_back("given weights");
  if (a.overwritten != b.overwritten) lines.emplace_back("overwritten numbers");
}

void add_embeddings(Lines& lines, const Layer& a, const Layer& b) {
  if (a.sequence_count() != b.sequence_count() || a.token_count() != b.token_count() || a.d_in() != b.d_in())
    return;
  Index edited = 0;
  for (std::size_t i = 0; i < a.embeddings.size(); ++i)
    edited += (a.embeddings[i].array() != b.embeddings[i].array()).count();
  if (edited > 0)
    lines.push_back(std::to_string(edited) + (edited == 1 ? " number" : " numbers") + " of the embeddings");
}

void add_weights(Lines& lines, const Layer& a, const Layer& b) {
  const bool drawn = a.weights.recipe && b.weights.recipe && !a.weights.edited && !b.weights.edited;
  if (drawn) {
    const WeightRecipe &from = *a.weights.recipe, &to = *b.weights.recipe;
    const auto init = [](const WeightRecipe& recipe) {
      return recipe.init == InitKind::Rand ? "rand" : "linear";
    };
    add_change(lines, "weights", init(from), init(to));
    add_count(lines, "seed", from.seed, to.seed);
    if (from.order != to.order) lines.push_back("the order in which the weights are drawn");
    if (from == to) return;
  }
  std::string names;
  for (const Parameter parameter : kParameters) {
    const bool weight = a.uses(parameter) && b.uses(parameter) &&
                        !same_matrix(a.weights.matrix(parameter), b.weights.matrix(parameter));
    const bool bias = a.uses_bias(parameter) && b.uses_bias(parameter) &&
                      !same_matrix(a.weights.bias(parameter), b.weights.bias(parameter));
    if (weight || bias) names += (names.empty() ? "" : ", ") + std::string(parameter_name(parameter));
  }
  if (!drawn && !names.empty()) lines.push_back("weights of " + names);
}

}  // namespace

std::vector<std::string> layer_differences(const Layer& a, const Layer& b, Counting counting) {
  Lines lines;
  add_shapes(lines, a, b);
  add_weights(lines, a, b);
  add_settings(lines, a, b, counting);
  add_embeddings(lines, a, b);
  add_given(lines, a, b);
  return lines;
}

}  // namespace headlight
