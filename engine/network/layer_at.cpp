#include "engine/network/layer_at.h"

#include <algorithm>
#include <array>
#include <initializer_list>

#include "engine/layer/overwriting.h"
#include "engine/network/layer_steps.h"
#include "engine/network/norms.h"

namespace headlight {
namespace {

Matrix& given_matrix(Layer& layer, Parameter parameter) {
  return layer.given[static_cast<std::size_t>(parameter)].emplace_back();
}

Matrix projected(const Factor& w, const MatrixRef& x) {
  Matrix rows(x.rows(), w.outputs);
  Workspace workspace;
  multiply(x, w, rows, workspace);
  return rows;
}

// Cut off and normed, before rotary positions.
Matrix normed(const NetworkConfig& config, const NormWeights& norm, Matrix rows) {
  norm_heads(config, norm, rows);
  return rows;
}

void take_weights(const Factor& from, Parameter parameter, bool bias, Weights& to) {
  to.matrix(parameter) = widened(from);
  if (bias) to.bias(parameter) = from.bias ? widened_bias(from) : Matrix::Zero(1, from.outputs);
}

// Replacements of weights may have biases where the checkpoint's have none.
bool adds_bias(const NetworkConfig& config, std::initializer_list<const Factor*> projections) {
  return config.qkv_bias || std::any_of(projections.begin(), projections.end(),
                                        [](const Factor* projection) { return projection->bias != nullptr; });
}

void take_projections(const NetworkConfig& config, const LayerWeights& w, Layer& to) {
  const bool bias = to.attention.qkv_bias = adds_bias(config, {&w.query, &w.key, &w.value});
  take_weights(w.query, Parameter::Query, bias, to.weights);
  take_weights(w.key, Parameter::Key, bias, to.weights);
  take_weights(w.value, Parameter::Value, bias, to.weights);
}

void take_cross_weights(const NetworkConfig& config, const LayerWeights& w, Layer& to) {
  const bool bias = to.attention.qkv_bias = adds_bias(config, {&w.cross_query, &w.cross_key, &w.cross_value});
  for (const Parameter parameter : kParameters)
    take_weights(w.cross_of(parameter), parameter, bias || parameter == Parameter::Output, to.weights);
}

constexpr std::array kOverwrittenStages = {Stage::Queries,     Stage::RotatedQueries, Stage::Keys,
                                           Stage::RotatedKeys, Stage::Values,         Stage::Weights,
                                           Stage::Context};

// Patches of the stream and of what is added to it are not part of a layer; patches of X are already in its
// input.
void take_patches(const NetworkPass& pass, Index layer, Layer& model) {
  for (const Patch& patch : pass.patches())
    for (const Stage stage : kOverwrittenStages)
      if (patch.layer == layer && patch_stage_of(model, stage) == patch.stage)
        model.overwritten.push_back({stage, 0, patch.head, patch.row, patch.column, patch.values});
}

std::optional<Stage> stage_of(const Layer& model, InterventionPlace place) {
  const auto turned = [&](Stage rotated, Stage plain) {
    return stage_exists(model, rotated) ? rotated : plain;
  };
  switch (place) {
    case InterventionPlace::Queries:
      return turned(Stage::RotatedQueries, Stage::Queries);
    case InterventionPlace::Keys:
      return turned(Stage::RotatedKeys, Stage::Keys);
    case InterventionPlace::Values:
      return Stage::Values;
    case InterventionPlace::Weights:
      return Stage::Weights;
    case InterventionPlace::Head:
      return Stage::Context;
    case InterventionPlace::Residual:
    case InterventionPlace::Neuron:
    case InterventionPlace::Mlp:
      break;
  }
  return std::nullopt;
}

Matrix changed_numbers(NetworkPass& pass, InterventionPlace place, Index layer, Index head) {
  const Index width = pass.network().config().head_width;
  if (place == InterventionPlace::Weights) return pass.attention_weights(layer, head);
  const MatrixRef all = place == InterventionPlace::Queries  ? pass.queries(layer)
                        : place == InterventionPlace::Keys   ? pass.keys(layer)
                        : place == InterventionPlace::Values ? pass.values(layer)
                                                             : pass.concat(layer);
  return all.middleCols(head * width, width);
}

// The numbers that interventions leave, as overwritten ones; those of the stream are in the layer's input.
void take_interventions(NetworkPass& pass, Index layer, Layer& model) {
  for (const PreparedIntervention& one : pass.interventions()) {
    const InterventionPlace place = one.what().place;
    const std::optional<Stage> stage = stage_of(model, place);
    if (!one.is_of(place, layer) || !stage) continue;
    for (const Index head : one.range().units)
      model.overwritten.push_back({*stage, 0, head, 0, 0, changed_numbers(pass, place, layer, head)});
  }
}

// A head that is replaced by its mean has that mean as its context at every token.
void take_means(NetworkPass& pass, Index layer, Layer& model) {
  const HeadStates& heads = pass.heads(layer);
  const Index width = pass.network().config().head_width;
  for (std::size_t i = 0; i < heads.size(); ++i) {
    if (heads[i] != HeadState::Mean) continue;
    const auto head = static_cast<Index>(i);
    const Matrix context = pass.concat(layer).middleCols(head * width, width);
    model.overwritten.push_back(
        {Stage::Context, 0, head, 0, 0, context.colwise().mean().replicate(context.rows(), 1)});
  }
}

}  // namespace

bool gives_heads(const NetworkConfig& config) {
  return config.head_norms != HeadNorm::None || config.clip > 0;
}

std::optional<PatchStage> patch_stage_of(const Layer& layer, Stage stage) {
  if (stage == Stage::Embeddings && stage_exists(layer, stage)) return PatchStage::Input;
  if (!may_be_overwritten(layer, stage)) return std::nullopt;
  switch (stage) {
    case Stage::Queries:
    case Stage::RotatedQueries:
      return PatchStage::Queries;
    case Stage::Keys:
    case Stage::RotatedKeys:
      return PatchStage::Keys;
    case Stage::Values:
      return PatchStage::Values;
    case Stage::Weights:
      return PatchStage::Weights;
    case Stage::Context:
      return PatchStage::Context;
    case Stage::Embeddings:
    case Stage::Scores:
    case Stage::Scaled:
    case Stage::Capped:
    case Stage::Biased:
    case Stage::Masked:
    case Stage::Dropped:
    case Stage::Concat:
    case Stage::Output:
      break;
  }
  return std::nullopt;
}

std::vector<std::string> token_labels(const NetworkPass& pass) {
  std::vector<std::string> labels;
  for (const std::int32_t id : pass.ids())
    labels.push_back(pass.network().token_label(id));
  return labels;
}

Layer layer_settings_of(const Network& network, LayerPlace place, Index tokens) {
  if (place.side == Side::Encoder) return layer_settings_of(*network.encoder(), place.layer, tokens);
  const NetworkConfig& config = network.config();
  Layer model;
  if (place.side == Side::Cross) {
    model.attention = config.cross_attention();
    return model;
  }
  set_layer_frame(config, network.weights(), place.layer, tokens, model);
  model.tokens.clear();
  if (gives_heads(config)) model.attention.projection = Projection::Given;
  return model;
}

OwnWeights stored_weights(const Network& network, LayerPlace place, Parameter parameter) {
  if (place.side == Side::Encoder) return stored_weights(*network.encoder(), place.layer, parameter);
  const LayerWeights& w = network.weights().layers[static_cast<std::size_t>(place.layer)];
  const Factor& factor = place.side == Side::Cross ? w.cross_of(parameter) : w.of(parameter);
  return {widened(factor), factor.bias ? widened_bias(factor) : Matrix()};
}

namespace {

void take_frame(const Layer& frame, Layer& layer) {
  layer.attention = frame.attention;
  layer.custom_mask = frame.custom_mask;
  layer.allowed = frame.allowed;
  layer.score_bias = frame.score_bias;
}

Layer cross_model(NetworkPass& pass, Index layer) {
  Layer model;
  model.tokens = token_labels(pass);
  model.key_tokens = token_labels(*pass.encoder());
  take_frame(pass.cross_frame(layer), model);
  take_cross_weights(pass.network().config(), pass.layer_weights(layer), model);
  model.embeddings.push_back(pass.cross_input(layer, 0, pass.token_count()));
  model.key_embeddings.emplace_back(pass.memory());
  return model;
}

}  // namespace

Layer layer_at(NetworkPass& whole, LayerPlace place) {
  if (place.side == Side::Cross) return cross_model(whole, place.layer);
  NetworkPass& pass = whole.of_side(place.side);
  const Index layer = place.layer;
  const NetworkConfig& config = pass.network().config();
  const LayerWeights& w = pass.layer_weights(layer);
  Layer model;
  model.tokens = token_labels(pass);
  take_frame(pass.layer_frame(layer), model);
  Matrix x = pass.attention_input(layer);
  if (gives_heads(config)) {
    model.attention.projection = Projection::Given;
    given_matrix(model, Parameter::Query) = normed(config, w.query_norm, projected(w.query, x));
    given_matrix(model, Parameter::Key) = normed(config, w.key_norm, projected(w.key, x));
    given_matrix(model, Parameter::Value) = normed(config, {}, projected(w.value, x));
  } else {
    take_projections(config, w, model);
    model.embeddings.push_back(std::move(x));
  }
  take_weights(w.output, Parameter::Output, true, model.weights);
  take_patches(pass, layer, model);
  take_interventions(pass, layer, model);
  take_means(pass, layer, model);
  return model;
}

}  // namespace headlight
