#include "engine/layer/stage_formula.h"

#include "engine/core/digits.h"

namespace headlight {
namespace {

constexpr int kSignificant = 6;  // digits of a number that was typed

std::string projection_formula(const Layer& layer, Parameter parameter, const char* weight,
                               const char* bias) {
  if (!layer.uses(parameter)) {
    if (parameter == Parameter::Output) return "Z";
    if (!layer.given[static_cast<std::size_t>(parameter)].empty()) return "given";
    return parameter == Parameter::Query || layer.key_embeddings.empty() ? "X" : "X of the keys";
  }
  const bool stored_out_in = layer.weights.layout == WeightLayout::OutIn;
  std::string text =
      std::string(parameter == Parameter::Output ? "Z " : "X ") + weight + (stored_out_in ? "ᵀ" : "");
  if (layer.uses_bias(parameter)) text += std::string(" + ") + bias;
  return text;
}

std::string scaled_formula(const Layer& layer) {
  switch (layer.attention.scale.kind) {
    case ScaleKind::InverseSqrtDk:
      return "ω / √dₖ";
    case ScaleKind::None:
      return "ω, not scaled";
    case ScaleKind::Number:
      break;
  }
  return "ω × " + significant_digits(layer.attention.scale.number, kSignificant);
}

std::string capped_formula(const Layer& layer) {
  const std::string cap = significant_digits(layer.attention.softcap, kSignificant);
  return cap + " tanh(s / " + cap + ")";
}

std::string biased_formula(const Layer& layer) {
  const bool slopes = layer.attention.position.kind == PositionKind::Alibi;
  if (layer.score_bias.empty()) return "s − slope × distance";
  return slopes ? "s + bias − slope × distance" : "s + bias";
}

std::string masked_formula(const Layer& layer) {
  switch (layer.attention.mask) {
    case MaskKind::None:
      return "no mask";
    case MaskKind::Causal:
      return "−∞ after the query";
    case MaskKind::Custom:
    case MaskKind::Rules:
      return "−∞ where forbidden";
  }
  return "";
}

std::string weights_formula(const Layer& layer) {
  switch (layer.attention.normalization) {
    case Normalization::Softmax:
      return layer.attention.sinks.empty() ? "softmax by rows" : "softmax by rows, with a sink";
    case Normalization::NaiveSoftmax:
      return "eˢ / Σ eˢ";
    case Normalization::Sum:
      return "s / Σ s";
  }
  return "";
}

std::string dropped_formula(const Layer& layer) {
  const Dropout& dropout = layer.attention.dropout;
  if (dropout.probability <= 0.0) return "no dropout";
  if (!dropout.training) return "evaluation: α";
  return "0 or α × " +
         significant_digits(dropout.probability < 1.0 ? 1.0 / (1.0 - dropout.probability) : 0.0, 3);
}

}  // namespace

std::string stage_formula(const Layer& layer, Stage stage) {
  switch (stage) {
    case Stage::Embeddings:
      return "X, the input";
    case Stage::Queries:
      return "Q = " + projection_formula(layer, Parameter::Query, "W_q", "b_q");
    case Stage::Keys:
      return "K = " + projection_formula(layer, Parameter::Key, "W_k", "b_k");
    case Stage::Values:
      return "V = " + projection_formula(layer, Parameter::Value, "W_v", "b_v");
    case Stage::RotatedQueries:
    case Stage::RotatedKeys:
      return "turned by position";
    case Stage::Scores:
      return "ω = Q Kᵀ";
    case Stage::Capped:
      return capped_formula(layer);
    case Stage::Biased:
      return biased_formula(layer);
    case Stage::Scaled:
      return scaled_formula(layer);
    case Stage::Masked:
      return masked_formula(layer);
    case Stage::Weights:
      return layer.attention.projection == Projection::Weights ? "α, given" : "α = " + weights_formula(layer);
    case Stage::Dropped:
      return dropped_formula(layer);
    case Stage::Context:
      return layer.attention.dropout.active() ? "dropped V" : "α V";
    case Stage::Concat:
      return layer.attention.disabled_heads.empty()
                 ? "Z, heads joined"
                 : "Z, " + std::to_string(layer.attention.disabled_heads.size()) + " of " +
                       std::to_string(layer.head_count()) + " heads off";
    case Stage::Output:
      return projection_formula(layer, Parameter::Output, "W_o", "b_o");
  }
  return "";
}

std::string stage_shape_text(const Layer& layer, Stage stage) {
  std::string text;
  if (stage_heads(layer, stage) > 1) text = std::to_string(stage_heads(layer, stage)) + " × ";
  return text + std::to_string(stage_rows(layer, stage)) + " × " +
         std::to_string(stage_columns(layer, stage));
}

}  // namespace headlight
