#include "engine/model/model.h"

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

Index Model::sequence_count() const {
  if (!embeddings.empty()) return static_cast<Index>(embeddings.size());
  if (!given_weights.empty()) return given_weights.sequences;
  return static_cast<Index>(given.front().size());
}

const Matrix& Model::projection_input(Parameter p, Index sequence) const {
  const bool of_keys = p != Parameter::Query && !key_embeddings.empty();
  return (of_keys ? key_embeddings : embeddings)[static_cast<std::size_t>(sequence)];
}

bool Model::uses(Parameter p) const {
  return p == Parameter::Output ? attention.output_projection : attention.projection == Projection::Linear;
}

bool Model::uses_bias(Parameter p) const {
  return uses(p) && (p == Parameter::Output || attention.qkv_bias);
}

float Model::scale_factor() const {
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

double Model::alibi_slope(Index head) const {
  const std::vector<double>& slopes = attention.position.slopes;
  return slopes.empty() ? alibi_slopes(head_count())[static_cast<std::size_t>(head)]
                        : slopes[static_cast<std::size_t>(head)];
}

bool Model::queries_among_keys() const {
  if (self_attention() || attention.mask == MaskKind::Causal) return true;
  if (attention.position.kind != PositionKind::None) return true;
  const MaskRules& rules = attention.rules;
  return attention.mask == MaskKind::Rules &&
         (rules.causal || rules.left || rules.right || !rules.offsets.empty());
}

Index Model::query_offset(Index sequence) const {
  const std::vector<Index>& offsets = attention.rules.offsets;
  if (attention.mask != MaskKind::Rules || offsets.empty()) return 0;
  return offsets[offsets.size() == 1 ? 0 : static_cast<std::size_t>(sequence)];
}

KeyBand Model::key_band(Index sequence) const {
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

OpenCells Model::open_cells(Index sequence, Index head) const {
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

Index parameter_width(const Model& model, Parameter parameter) {
  if (parameter == Parameter::Output) return model.d_out();
  const HeadShape heads = head_shape(model, parameter);
  return heads.count * heads.width;
}

HeadShape head_shape(const Model& model, Parameter parameter) {
  switch (parameter) {
    case Parameter::Query:
      return {model.head_count(), model.d_k()};
    case Parameter::Key:
      return {model.kv_head_count(), model.d_k()};
    case Parameter::Value:
      return {model.kv_head_count(), model.d_v()};
    case Parameter::Output:
      break;
  }
  return {model.head_count(), model.d_v()};
}

std::array<Index, 2> expected_shape(const Model& model, Parameter parameter) {
  const Index in = parameter == Parameter::Output  ? model.concat_width()
                   : parameter == Parameter::Query ? model.d_in()
                                                   : model.key_d_in();
  const Index out = parameter_width(model, parameter);
  if (model.weights.layout == WeightLayout::InOut) return {in, out};
  return {out, in};
}

namespace {

void add_all(std::vector<Matrix>& matrices, std::vector<Matrix*>& result) {
  for (Matrix& matrix : matrices)
    result.push_back(&matrix);
}

}  // namespace

std::vector<Matrix*> token_rows(Model& model) {
  std::vector<Matrix*> result;
  add_all(model.embeddings, result);
  add_all(model.given[0], result);
  if (model.self_attention())
    for (Matrix* rows : key_rows(model))
      result.push_back(rows);
  return result;
}

std::vector<Matrix*> key_rows(Model& model) {
  std::vector<Matrix*> result;
  add_all(model.key_embeddings, result);
  add_all(model.given[1], result);
  add_all(model.given[2], result);
  return result;
}

double number_count(const Model& model) {
  const auto size = [](const Matrix& matrix) { return static_cast<double>(matrix.size()); };
  double count = model.attention.mask == MaskKind::Custom ? size(model.custom_mask) : 0;
  for (const Matrix& x : model.embeddings)
    count += size(x);
  for (const Matrix& x : model.key_embeddings)
    count += size(x);
  for (const PairArray* array : {&model.given_weights, &model.allowed, &model.score_bias})
    for (const Matrix& matrix : array->matrices)
      count += size(matrix);
  for (const std::vector<Matrix>& matrices : model.given)
    for (const Matrix& rows : matrices)
      count += size(rows);
  for (std::size_t p = 0; p < kParameters.size(); ++p)
    count += size(model.weights.matrices[p]) + size(model.weights.biases[p]);
  for (const Overwritten& block : model.overwritten)
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
