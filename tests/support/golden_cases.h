// The golden cases of tests/golden/goldens.json (computed with PyTorch) as models and expected numbers.
#pragma once

#include <cmath>
#include <cstdint>
#include <fstream>
#include <limits>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "engine/core/error.h"
#include "engine/core/torch_stream.h"
#include "engine/layer/layer.h"
#include "engine/layer/reshape.h"
#include "tests/support/places.h"

namespace headlight_test {

using nlohmann::json;

inline const json& goldens() {
  static const json data = [] {
    std::ifstream file(source_root() + "/tests/golden/goldens.json");
    return json::parse(file);
  }();
  return data;
}

// null is minus infinity; "inf" and "nan" are strings.
inline float golden_number(const json& value) {
  if (value.is_null()) return -std::numeric_limits<float>::infinity();
  if (value.is_string())
    return value == "nan" ? std::numeric_limits<float>::quiet_NaN() : std::numeric_limits<float>::infinity();
  return static_cast<float>(value.get<double>());
}

inline void flatten(const json& value, std::vector<float>& into) {
  if (!value.is_array()) {
    into.push_back(golden_number(value));
    return;
  }
  for (const json& item : value)
    flatten(item, into);
}

inline std::vector<float> flat(const json& value) {
  std::vector<float> result;
  flatten(value, result);
  return result;
}

// The checksum of zlib over little-endian float32 bytes.
inline std::uint32_t crc32_of(const float* values, std::size_t count) {
  std::uint32_t crc = 0xFFFFFFFFu;
  const auto* bytes = reinterpret_cast<const unsigned char*>(values);
  for (std::size_t i = 0; i < count * sizeof(float); ++i) {
    crc ^= bytes[i];
    for (int bit = 0; bit < 8; ++bit)
      crc = crc >> 1 ^ (crc & 1u ? 0xEDB88320u : 0u);
  }
  return ~crc;
}

inline headlight::Parameter golden_parameter(const std::string& name) {
  if (name == "W_query") return headlight::Parameter::Query;
  if (name == "W_key") return headlight::Parameter::Key;
  if (name == "W_value") return headlight::Parameter::Value;
  return headlight::Parameter::Output;
}

inline std::vector<headlight::Matrix> golden_embeddings(const json& item) {
  const json& config = item.at("config");
  const headlight::Index sequences = config.at("B"), tokens = config.at("T"), d_in = config.at("d_in");
  std::vector<headlight::Matrix> result(static_cast<std::size_t>(sequences), headlight::Matrix(tokens, d_in));
  const json& input = item.at("input");
  if (input.at("kind") == "rand2") {
    headlight::TorchStream stream(input.at("seed"));
    const float gain = input.at("gain");
    for (headlight::Matrix& x : result)
      for (headlight::Index i = 0; i < x.size(); ++i)
        x.data()[i] = (stream.rand() * 2.0f - 1.0f) * gain;
    return result;
  }
  const std::vector<float> values = flat(item.at("x"));
  std::size_t at = 0;
  for (headlight::Matrix& x : result)
    for (headlight::Index i = 0; i < x.size(); ++i)
      x.data()[i] = values[at++];
  return result;
}

// The complete model of a case; the weights are drawn by this project's `TorchStream`.
inline headlight::Layer golden_model(const json& item) {
  const json& config = item.at("config");
  headlight::Layer layer;
  layer.embeddings = golden_embeddings(item);
  for (int t = 0; t < config.at("T").get<int>(); ++t)
    layer.tokens.push_back(std::to_string(t));
  headlight::AttentionSettings& a = layer.attention;
  a.projection = config.at("init") == "none" ? headlight::Projection::None : headlight::Projection::Linear;
  a.d_out = config.at("d_out");
  a.num_heads = config.at("num_heads");
  a.qkv_bias = config.at("qkv_bias");
  a.output_projection = config.at("out_proj");
  a.scale.kind = config.at("scale") ? headlight::ScaleKind::InverseSqrtDk : headlight::ScaleKind::None;
  a.mask = config.at("causal") ? headlight::MaskKind::Causal : headlight::MaskKind::None;
  const std::string how = config.at("normalisation");
  a.normalization = how == "sum"             ? headlight::Normalization::Sum
                    : how == "softmax_naive" ? headlight::Normalization::NaiveSoftmax
                                             : headlight::Normalization::Softmax;
  a.dropout.probability = config.at("dropout");
  if (!config.at("dropout_seed").is_null()) a.dropout.seed = config.at("dropout_seed").get<std::int64_t>();
  if (a.projection == headlight::Projection::Linear) {
    headlight::WeightRecipe recipe;
    recipe.init = config.at("init") == "rand" ? headlight::InitKind::Rand : headlight::InitKind::Linear;
    recipe.seed = config.at("seed");
    recipe.order.clear();
    for (const std::string name : config.at("creation_order"))
      recipe.order.push_back(golden_parameter(name));
    headlight::draw_weights(layer, recipe);
  }
  return layer;
}

}  // namespace headlight_test
