#include "engine/families/encoders.h"

#include <cmath>

#include "engine/core/error.h"

namespace headlight {
namespace {

using C = NetworkConfig;

// Of both sides.
NetworkConfig t5_base() {
  NetworkConfig c;
  c.norm = NormKind::Rms;
  c.scale = {ScaleKind::None};
  c.positions = kMostTokens;
  TensorNames& names = c.tensors;
  names.tokens = "shared";
  names.query = "layer.0.SelfAttention.q";
  names.key = "layer.0.SelfAttention.k";
  names.value = "layer.0.SelfAttention.v";
  names.output = "layer.0.SelfAttention.o";
  names.attention_norm = "layer.0.layer_norm";
  return c;
}

// side: "encoder" or "decoder"; mlp: the number of its MLP in a layer.
void name_side(const std::string& side, const std::string& mlp, NetworkConfig& c) {
  TensorNames& names = c.tensors;
  names.layer = side + ".block.#.";
  names.relative_bias = side + ".block.0.layer.0.SelfAttention.relative_attention_bias.weight";
  names.final_norm = side + ".final_layer_norm";
  names.mlp_norm = "layer." + mlp + ".layer_norm";
  const std::string dense = "layer." + mlp + ".DenseReluDense.";
  names.gate = c.gated ? dense + "wi_0" : "";
  names.up = dense + (c.gated ? "wi_1" : "wi");
  names.down = dense + "wo";
}

// "relu", or "gated-gelu", which is the approximation by tanh.
void read_projection(const ConfigFields& json, NetworkConfig& c) {
  std::string word = json.word("feed_forward_proj");
  c.gated = word.starts_with("gated-");
  if (c.gated) word.erase(0, word.find('-') + 1);
  c.activation = activation_of(c.gated && word == "gelu" ? "gelu_new" : word, "feed_forward_proj");
}

void read_t5(const ConfigFields& json, NetworkConfig& c) {
  if (!json.flag("is_encoder_decoder"))
    throw Error("it is false: one side alone is not computed here", "is_encoder_decoder",
                "open a model of both sides");
  read_projection(json, c);
  c.relative_bias = {json.size("relative_attention_num_buckets", kMostWidth),
                     json.size("relative_attention_max_distance", kMostVocabulary)};
  if (c.relative_bias.buckets < 4 || 2 * c.relative_bias.farthest <= c.relative_bias.buckets)
    throw Error("it is " + std::to_string(c.relative_bias.buckets) + " with a farthest distance of " +
                    std::to_string(c.relative_bias.farthest) + ", which leaves no bucket for far keys",
                "relative_attention_num_buckets", kMendConfig);
  NetworkConfig encoder = c;
  encoder.causal = false;
  name_side("encoder", "1", encoder);
  name_side("decoder", "2", c);
  c.cross = true;
  c.tensors.cross_norm = "layer.1.layer_norm";
  c.tensors.cross_query = "layer.1.EncDecAttention.q";
  c.tensors.cross_key = "layer.1.EncDecAttention.k";
  c.tensors.cross_value = "layer.1.EncDecAttention.v";
  c.tensors.cross_output = "layer.1.EncDecAttention.o";
  c.layers = json.size_if("num_decoder_layers", kMostLayers).value_or(c.layers);
  c.windows.resize(static_cast<std::size_t>(c.layers));
  if (c.tied) c.logit_factor = 1 / std::sqrt(static_cast<double>(c.width));
  c.encoder = std::make_shared<const NetworkConfig>(std::move(encoder));
}

}  // namespace

const Family& t5_family() {
  static const Family kFamily = [] {
    Family family;
    family.name = "t5";
    family.saved_by = "AutoModelForSeq2SeqLM";
    family.base = t5_base();
    family.fields = {{"vocab_size", "", &C::vocabulary},
                     {"d_model", "", &C::width, "hidden_size"},
                     {"num_layers", "", &C::layers, "num_hidden_layers"},
                     {"num_decoder_layers", "null"},
                     {"num_heads", "", &C::heads, "num_attention_heads"},
                     {"d_kv", "64", &C::head_width, "head_dim"},
                     {"d_ff", "", &C::mlp_width},
                     {"layer_norm_epsilon", "1e-6", &C::epsilon},
                     {"tie_word_embeddings", "true", &C::tied},
                     {"feed_forward_proj", "\"relu\""},
                     {"relative_attention_num_buckets", "32"},
                     {"relative_attention_max_distance", "128"},
                     {"is_encoder_decoder", "true"}};
    family.idle = {"is_gated_act", "dense_act_fn", "n_positions", "scale_decoder_outputs"};
    family.read = read_t5;
    family.needs = "two sides; positions as a learned bias by distance, which all layers share; no scale";
    return family;
  }();
  return kFamily;
}

}  // namespace headlight
