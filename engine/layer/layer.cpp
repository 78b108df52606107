#include "engine/layer/layer.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "engine/core/error.h"

namespace headlight {

void require_token_count(std::size_t count) {
  if (count <= static_cast<std::size_t>(kMostTokens)) return;
  throw Error("these are " + std::to_string(count) + " tokens", "tokens",
              "at most " + std::to_string(kMostTokens) + " can be shown: take a part of the text");
}

bool AttentionSettings::head_enabled(Index head) const {
  return !std::binary_search(disabled_heads.begin(), disabled_heads.end(), head);
}

Index Layer::sequence_count() const {
  if (!embeddings.empty()) return static_cast<Index>(embeddings.size());
  if (!given_weights.empty()) return given_weights.sequences;
  return static_cast<Index>(given.front().size());
}

const Matrix& Layer::projection_input(Parameter p, Index sequence) const {
  const bool of_keys = p != Parameter::Query && !key_embeddings.empty();
  return (of_keys ? key_embeddings : embeddings)[static_cast<std::size_t>(sequence)];
}

bool Layer::uses(Parameter p) const {
  return p == Parameter::Output ? attention.output_projection : attention.projection == Projection::Linear;
}

bool Layer::uses_bias(Parameter p) const {
  return uses(p) && (p == Parameter::Output || attention.qkv_bias);
}

float Layer::scale_factor() const {
  switch (attention.scale.kind) {
    case ScaleKind::InverseSqrtDk:
      return static_cast<float>(1.0 / std::sqrt(static_cast<double>(d_k())));
    case ScaleKind::None:
      return 1.0f;
    case ScaleKind::Number:
      return static_cast<float>(attention.scale.number);
  }
  return 1.0f;
}

double Layer::alibi_slope(Index head) const {
  const std::vector<double>& slopes = attention.position.slopes;
  return slopes.empty() ? alibi_slopes(head_count())[static_cast<std::size_t>(head)]
                        : slopes[static_cast<std::size_t>(head)];
}

bool Layer::queries_among_keys() const {
  if (self_attention() || attention.mask == MaskKind::Causal) return true;
  if (attention.position.kind != PositionKind::None) return true;
  const MaskRules& rules = attention.rules;
  return attention.mask == MaskKind::Rules &&
         (rules.causal || rules.left || rules.right || !rules.offsets.empty());
}

Index Layer::query_offset(Index sequence) const {
  const std::vector<Index>& offsets = attention.rules.offsets;
  if (attention.mask != MaskKind::Rules || offsets.empty()) return 0;
  return offsets[offsets.size() == 1 ? 0 : static_cast<std::size_t>(sequence)];
}

KeyBand Layer::key_band(Index sequence) const {
  KeyBand band;
  band.keys = key_count();
  if (attention.mask == MaskKind::Causal) band.to = 1;
  if (attention.mask != MaskKind::Rules) return band;
  const MaskRules& rules = attention.rules;
  const Index offset = query_offset(sequence);
  if (rules.left) band.from = offset - *rules.left;
  if (rules.right) band.to = offset + *rules.right + 1;
  if (rules.causal) band.to = std::min(band.to, offset + 1);
  if (!rules.keys.empty()) band.keys = std::min(band.keys, rules.keys[static_cast<std::size_t>(sequence)]);
  return band;
}

OpenCells Layer::open_cells(Index sequence, Index head) const {
  OpenCells open;
  open.band = key_band(sequence);
  open.bias_closes = !score_bias.empty();
  switch (attention.mask) {
    case MaskKind::None:
    case MaskKind::Causal:  // its band
      break;
    case MaskKind::Custom:
      open.allowed = &custom_mask;
      break;
    case MaskKind::Rules:
      if (!allowed.empty()) open.allowed = &allowed.of(sequence, head);
      break;
  }
  return open;
}

Index parameter_width(const Layer& layer, Parameter parameter) {
  if (parameter == Parameter::Output) return layer.d_out();
  const HeadShape heads = head_shape(layer, parameter);
  return heads.count * heads.width;
}

HeadShape head_shape(const Layer& layer, Parameter parameter) {
  switch (parameter) {
    case Parameter::Query:
      return {layer.head_count(), layer.d_k()};
    case Parameter::Key:
      return {layer.kv_head_count(), layer.d_k()};
    case Parameter::Value:
      return {layer.kv_head_count(), layer.d_v()};
    case Parameter::Output:
      break;
  }
  return {layer.head_count(), layer.d_v()};
}

std::array<Index, 2> expected_shape(const Layer& layer, Parameter parameter) {
  const Index in = parameter == Parameter::Output  ? layer.concat_width()
                   : parameter == Parameter::Query ? layer.d_in()
                                                   : layer.key_d_in();
  const Index out = parameter_width(layer, parameter);
  if (layer.weights.layout == WeightLayout::InOut) return {in, out};
  return {out, in};
}

namespace {

void add_all(std::vector<Matrix>& matrices, std::vector<Matrix*>& result) {
  for (Matrix& matrix : matrices)
    result.push_back(&matrix);
}

}  // namespace

std::vector<Matrix*> token_rows(Layer& layer) {
  std::vector<Matrix*> result;
  add_all(layer.embeddings, result);
  add_all(layer.given[0], result);
  if (layer.self_attention())
    for (Matrix* rows : key_rows(layer))
      result.push_back(rows);
  return result;
}

std::vector<Matrix*> key_rows(Layer& layer) {
  std::vector<Matrix*> result;
  add_all(layer.key_embeddings, result);
  add_all(layer.given[1], result);
  add_all(layer.given[2], result);
  return result;
}

double number_count(const Layer& layer) {
  const auto size = [](const Matrix& matrix) { return static_cast<double>(matrix.size()); };
  double count = layer.attention.mask == MaskKind::Custom ? size(layer.custom_mask) : 0;
  for (const Matrix& x : layer.embeddings)
    count += size(x);
  for (const Matrix& x : layer.key_embeddings)
    count += size(x);
  for (const PairArray* array : {&layer.given_weights, &layer.allowed, &layer.score_bias})
    for (const Matrix& matrix : array->matrices)
      count += size(matrix);
  for (const std::vector<Matrix>& matrices : layer.given)
    for (const Matrix& rows : matrices)
      count += size(rows);
  for (std::size_t p = 0; p < kParameters.size(); ++p)
    count += size(layer.weights.matrices[p]) + size(layer.weights.biases[p]);
  for (const Overwritten& block : layer.overwritten)
    count += size(block.values);
  return count;
}

const char* parameter_name(Parameter parameter) {
  switch (parameter) {
    case Parameter::Query:
      return "query";
    case Parameter::Key:
      return "key";
    case Parameter::Value:
      return "value";
    case Parameter::Output:
      return "output";
  }
  return "";
}

}  // namespace headlight
