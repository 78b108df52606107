#include "engine/architecture/network_config.h"

#include <algorithm>
#include <cmath>

#include "engine/architecture/family.h"

namespace headlight {

const char* family_name(const NetworkConfig& config) {
  return config.family->name.data();
}

// The library's "dynamic" scaling of rotary positions (NTK-aware), and its "longrope".
Position NetworkConfig::position_in(Index layer, Index tokens) const {
  const auto at = static_cast<std::size_t>(layer);
  if (!unturned.empty() && unturned[at]) return {};
  if (local_position && windows[at]) return *local_position;
  Position grown = position;
  if (!long_factors.empty() && tokens > short_positions) grown.scaling.factors = long_factors;
  if (dynamic == 0 || tokens <= positions) return grown;
  const double longer = static_cast<double>(tokens) / static_cast<double>(positions);
  const auto dims = static_cast<double>(position.dims);
  grown.theta *= std::pow(dynamic * longer - (dynamic - 1), dims / (dims - 2));
  return grown;
}

AttentionSettings NetworkConfig::attention(Index layer, Index tokens) const {
  AttentionSettings a = cross_attention();
  a.position = position_in(layer, tokens);
  if (scale_by_layer)
    a.scale = {ScaleKind::Number,
               (scale.kind == ScaleKind::None ? 1 : 1 / std::sqrt(static_cast<double>(head_width))) /
                   static_cast<double>(layer + 1)};
  const std::optional<Index>& window = windows[static_cast<std::size_t>(layer)];
  if (causal && !window) a.mask = MaskKind::Causal;
  if (window) {
    a.mask = MaskKind::Rules;
    a.rules.causal = causal;
    a.rules.left = *window - 1;
    if (!causal) a.rules.right = *window - 1;
  }
  return a;
}

AttentionSettings NetworkConfig::cross_attention() const {
  AttentionSettings a;
  a.projection = Projection::Linear;
  a.d_out = width;
  a.num_heads = heads;
  a.num_kv_heads = kv_heads == heads ? 0 : kv_heads;
  a.d_k = a.d_v = head_width;
  a.qkv_bias = qkv_bias;
  a.output_projection = true;
  a.scale = scale;
  a.softcap = softcap;
  a.dropout.training = false;
  return a;
}

std::vector<LayerTrait> NetworkConfig::layer_traits(Index layer) const {
  const auto at = static_cast<std::size_t>(layer);
  const auto is_open = [](const std::optional<Index>& window) { return !window; };
  std::vector<LayerTrait> traits;
  const auto open = std::count_if(windows.begin(), windows.end(), is_open);
  if (open > 0 && open < static_cast<std::ptrdiff_t>(windows.size())) {
    if (const std::optional<Index>& window = windows[at])
      traits.push_back({"local", "a query sees the nearest " + std::to_string(*window) + " keys"});
    else
      traits.push_back({"global", "a query sees all keys that its mask allows"});
  }
  if (at < unturned.size() && unturned[at])
    traits.push_back({"no positions", "queries and keys are not turned"});
  if (experts.in_layer(layer))
    traits.push_back({"experts", "each token is sent to " + std::to_string(experts.chosen) + " of " +
                                     std::to_string(experts.count) + " MLPs"});
  if (!tensors.sinks.empty())
    traits.push_back({"sinks", "each head has a logit of its own whose share of the softmax is dropped"});
  return traits;
}

std::string NetworkConfig::layer_name(Index layer) const {
  return tensors.layers.empty() ? numbered(tensors.layer, layer)
                                : tensors.layers[static_cast<std::size_t>(layer)];
}

bool NetworkConfig::stream_is_sum() const {
  return norm_place != NormPlace::After && !residual_after_norm && tensors.head_dense.empty();
}

std::string why_no_gradient(const NetworkConfig& c) {
  if (c.image.channels > 0) return "an image";
  if (c.cross) return "two sides";
  if (c.experts.count > 0) return "experts";
  if (!c.tensors.sinks.empty()) return "sinks of attention";
  if (c.residual_after_norm) return "a stream that continues from behind its norms";
  if (c.clip > 0) return "queries, keys and values that are cut off";
  if (c.head_norms == HeadNorm::EachHead) return "a norm with weights of its own for each head";
  if (c.embedding_width != c.width) return "embeddings of another width than the stream";
  return "";
}

}  // namespace headlight
