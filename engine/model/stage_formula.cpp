#include "engine/model/stage_formula.h"

#include "engine/core/digits.h"

namespace headlight {
namespace {

constexpr int kSignificant = 6;  // digits of a number that was typed

std::string projection_formula(const Model& model, Parameter parameter, const char* weight,
                               const char* bias) {
  if (!model.uses(parameter)) {
    if (parameter == Parameter::Output) return "Z";
    if (!model.given[static_cast<std::size_t>(parameter)].empty()) return "given";
    return parameter == Parameter::Query || model.key_embeddings.empty() ? "X" : "X of the keys";
  }
  const bool stored_out_in = model.weights.layout == WeightLayout::OutIn;
  std::string text =
      std::string(parameter == Parameter::Output ? "Z " : "X ") + weight + (stored_out_in ? "ᵀ" : "");
  if (model.uses_bias(parameter)) text += std::string(" + ") + bias;
  return text;
}

std::string scaled_formula(const Model& model) {
  switch (model.attention.scale.kind) {
    case ScaleKind::InverseSqrtDk:
      return "ω / √dₖ";
    case ScaleKind::None:
      return "ω, not scaled";
    case ScaleKind::Number:
      break;
  }
  return "ω × " + significant_digits(model.attention.scale.number, kSignificant);
}

std::string capped_formula(const Model& model) {
  const std::string cap = significant_digits(model.attention.softcap, kSignificant);
  return cap + " tanh(s / " + cap + ")";
}

std::string biased_formula(const Model& model) {
  const bool slopes = model.attention.position.kind == PositionKind::Alibi;
  if (model.score_bias.empty()) return "s − slope × distance";
  return slopes ? "s + bias − slope × distance" : "s + bias";
}

std::string masked_formula(const Model& model) {
  switch (model.attention.mask) {
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

std::string weights_formula(const Model& model) {
  switch (model.attention.normalization) {
    case Normalization::Softmax:
      return model.attention.sinks.empty() ? "softmax by rows" : "softmax by rows, with a sink";
    case Normalization::NaiveSoftmax:
      return "eˢ / Σ eˢ";
    case Normalization::Sum:
      return "s / Σ s";
  }
  return "";
}

std::string dropped_formula(const Model& model) {
  const Dropout& dropout = model.attention.dropout;
  if (dropout.probability <= 0.0) return "no dropout";
  if (!dropout.training) return "evaluation: α";
  return "0 or α × " +
         significant_digits(dropout.probability < 1.0 ? 1.0 / (1.0 - dropout.probability) : 0.0, 3);
}

}  // namespace

std::string stage_formula(const Model& model, Stage stage) {
  switch (stage) {
    case Stage::Embeddings:
      return "X, the input";
    case Stage::Queries:
      return "Q = " + projection_formula(model, Parameter::Query, "W_q", "b_q");
    case Stage::Keys:
      return "K = " + projection_formula(model, Parameter::Key, "W_k", "b_k");
    case Stage::Values:
      return "V = " + projection_formula(model, Parameter::Value, "W_v", "b_v");
    case Stage::RotatedQueries:
    case Stage::RotatedKeys:
      return "turned by position";
    case Stage::Scores:
      return "ω = Q Kᵀ";
    case Stage::Capped:
      return capped_formula(model);
    case Stage::Biased:
      return biased_formula(model);
    case Stage::Scaled:
      return scaled_formula(model);
    case Stage::Masked:
      return masked_formula(model);
    case Stage::Weights:
      return model.attention.projection == Projection::Weights ? "α, given" : "α = " + weights_formula(model);
    case Stage::Dropped:
      return dropped_formula(model);
    case Stage::Context:
      return model.attention.dropout.active() ? "dropped V" : "α V";
    case Stage::Concat:
      return model.attention.disabled_heads.empty()
                 ? "Z, heads joined"
                 : "Z, " + std::to_string(model.attention.disabled_heads.size()) + " of " +
                       std::to_string(model.head_count()) + " heads off";
    case Stage::Output:
      return projection_formula(model, Parameter::Output, "W_o", "b_o");
  }
  return "";
}

std::string stage_shape_text(const Model& model, Stage stage) {
  std::string text;
  if (stage_heads(model, stage) > 1) text = std::to_string(stage_heads(model, stage)) + " × ";
  return text + std::to_string(stage_rows(model, stage)) + " × " +
         std::to_string(stage_columns(model, stage));
}

}  // namespace headlight
