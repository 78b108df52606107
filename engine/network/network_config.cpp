#include "engine/network/network_config.h"

#include <array>
#include <cmath>
#include <cstdint>
#include <initializer_list>

#include "engine/checkpoint/layer_config.h"
#include "engine/core/error.h"
#include "engine/core/nearest.h"
#include "engine/json/json_document.h"

namespace headlight {
namespace {

constexpr const char* kOneByOne =
    "known are gpt2, gpt_neox, llama, mistral, qwen2, qwen3, gemma2 and bert; of other models the layers can "
    "be "
    "opened one by one: open their .safetensors file";
constexpr const char* kMend =
    "copy or download config.json again; the other files of the folder tell which model it is";
constexpr Index kMostWidth = 1 << 20, kMostLayers = 1024, kMostVocabulary = 1 << 24;

constexpr std::array<const char*, 8> kFamilies = {"gpt2",  "gpt_neox", "llama",  "mistral",
                                                  "qwen2", "qwen3",    "gemma2", "bert"};

// The members of a config.json, checked as they are read.
class Config {
 public:
  explicit Config(const Json& json) : json_(json) {}

  const Json* find(const char* name) const {
    const auto found = json_.find(name);
    return found == json_.end() || found->is_null() ? nullptr : &*found;
  }
  // 1 to `most`.
  Index size(std::initializer_list<const char*> names, Index most) const {
    for (const char* name : names)
      if (const Json* value = find(name)) return checked(*value, name, most);
    throw Error("config.json does not say " + in_quotes(*names.begin()), "", kMend);
  }
  Index size(const char* name, Index most, Index fallback) const {
    const Json* value = find(name);
    return value ? checked(*value, name, most) : fallback;
  }
  double number(std::initializer_list<const char*> names, double fallback) const {
    for (const char* name : names)
      if (const Json* value = find(name)) {
        if (!value->is_number() || !(value->get<double>() > 0))
          throw Error("it is " + value->dump() + ", expected a number above 0", name, kMend);
        return value->get<double>();
      }
    return fallback;
  }
  bool flag(const char* name, bool fallback) const {
    const Json* value = find(name);
    if (!value) return fallback;
    if (!value->is_boolean())
      throw Error("it is " + json_kind(*value) + ", expected true or false", name, kMend);
    return value->get<bool>();
  }
  std::string word(std::initializer_list<const char*> names, const char* fallback) const {
    for (const char* name : names)
      if (const Json* value = find(name)) {
        if (!value->is_string()) throw Error("it is " + json_kind(*value) + ", expected text", name, kMend);
        return value->get<std::string>();
      }
    return fallback;
  }

 private:
  static Index checked(const Json& value, const char* name, Index most) {
    if (!value.is_number_integer() || value.get<std::int64_t>() < 1 || value.get<std::int64_t>() > most)
      throw Error("it is " + value.dump() + ", expected a whole number from 1 to " + std::to_string(most),
                  name, kMend);
    return value.get<Index>();
  }
  const Json& json_;
};

Family family_of(const Config& json) {
  const std::string type = json.word({"model_type"}, "");
  for (std::size_t i = 0; i < kFamilies.size(); ++i)
    if (type == kFamilies[i]) return static_cast<Family>(i);
  throw Error(type.empty() ? "config.json does not say model_type"
                           : "models of type " + in_quotes(type) + " are not known here",
              "model_type", kOneByOne);
}

Activation activation_of(const std::string& name) {
  if (name == "gelu") return Activation::Gelu;
  if (name == "gelu_new" || name == "gelu_pytorch_tanh" || name == "gelu_fast") return Activation::GeluTanh;
  if (name == "silu" || name == "swish") return Activation::Silu;
  throw Error("the activation " + in_quotes(name) + " is not known here", "hidden_act",
              "known are gelu, gelu_new, gelu_pytorch_tanh and silu");
}

void read_gpt2(const Config& json, NetworkConfig& c) {
  c.width = json.size({"n_embd"}, kMostWidth);
  c.layers = json.size({"n_layer"}, kMostLayers);
  c.heads = c.kv_heads = json.size({"n_head"}, kMostWidth);
  c.positions = json.size({"n_positions", "n_ctx"}, kMostVocabulary);
  c.mlp_width = json.size("n_inner", kMostWidth, 4 * c.width);
  c.epsilon = json.number({"layer_norm_epsilon"}, 1e-5);
  c.activation = activation_of(json.word({"activation_function"}, "gelu_new"));
  c.tied = json.flag("tie_word_embeddings", true);
  c.qkv_bias = c.output_bias = c.mlp_bias = true;
  c.scale_by_layer = json.flag("scale_attn_by_inverse_layer_idx", false);
}

// What all families but gpt2 name alike.
void read_sizes(const Config& json, NetworkConfig& c) {
  c.width = json.size({"hidden_size"}, kMostWidth);
  c.layers = json.size({"num_hidden_layers"}, kMostLayers);
  c.heads = c.kv_heads = json.size({"num_attention_heads"}, kMostWidth);
  c.mlp_width = json.size({"intermediate_size"}, kMostWidth);
  c.positions = json.size({"max_position_embeddings"}, kMostVocabulary);
}

void read_neox(const Config& json, NetworkConfig& c) {
  read_sizes(json, c);
  c.epsilon = json.number({"layer_norm_eps"}, 1e-5);
  c.activation = activation_of(json.word({"hidden_act"}, "gelu"));
  c.parallel = json.flag("use_parallel_residual", true);
  c.tied = json.flag("tie_word_embeddings", false);
  c.qkv_bias = c.output_bias = json.flag("attention_bias", true);
  c.mlp_bias = true;
}

void read_bert(const Config& json, NetworkConfig& c) {
  read_sizes(json, c);
  c.norm_place = NormPlace::After;
  c.epsilon = json.number({"layer_norm_eps"}, 1e-12);
  c.activation = activation_of(json.word({"hidden_act"}, "gelu"));
  c.token_types = json.size("type_vocab_size", kMostWidth, 2);
  c.causal = false;
  c.tied = true;
  c.qkv_bias = c.output_bias = c.mlp_bias = true;
}

void read_llama(const Config& json, NetworkConfig& c) {
  read_sizes(json, c);
  const bool gemma = c.family == Family::Gemma2;
  c.kv_heads = json.size("num_key_value_heads", kMostWidth, c.heads);
  c.norm = gemma ? NormKind::RmsPlusOne : NormKind::Rms;
  c.norm_place = gemma ? NormPlace::Around : NormPlace::Before;
  c.epsilon = json.number({"rms_norm_eps"}, 1e-6);
  c.activation = activation_of(gemma ? json.word({"hidden_activation", "hidden_act"}, "gelu_pytorch_tanh")
                                     : json.word({"hidden_act"}, "silu"));
  c.gated = true;
  c.tied = json.flag("tie_word_embeddings", gemma);
  c.head_norms = c.family == Family::Qwen3;
  const bool all_biases = json.flag("attention_bias", false);
  c.qkv_bias = all_biases || c.family == Family::Qwen2;
  c.output_bias = all_biases;
  c.mlp_bias = json.flag("mlp_bias", false);
  c.final_softcap = json.number({"final_logit_softcapping"}, 0);
  if (gemma) c.embedding_factor = std::sqrt(static_cast<double>(c.width));
}

// What of attention stands in config.json, whichever family's it is.
void read_attention(const LayerConfig& layer, NetworkConfig& c) {
  for (const std::string& setting : layer.beyond)
    if (setting != "scale_attn_by_inverse_layer_idx")
      throw Error("it changes what attention computes, and is not known here", setting, kOneByOne);
  if (c.width % c.heads != 0 && !layer.head_width)
    throw Error(std::to_string(c.heads) + " heads do not divide a width of " + std::to_string(c.width),
                "num_attention_heads", kMend);
  c.head_width = layer.head_width.value_or(c.width / c.heads);
  if (c.family == Family::Qwen3 && !layer.head_width) c.head_width = 128;
  if (c.heads % c.kv_heads != 0)
    throw Error(std::to_string(c.kv_heads) + " heads of keys and values do not divide " +
                    std::to_string(c.heads) + " heads",
                "num_key_value_heads", kMend);
  c.softcap = layer.softcap.value_or(0);
  if (layer.unscaled) c.scale = {ScaleKind::None};
  if (layer.scale_width) c.scale = {ScaleKind::Number, 1 / std::sqrt(*layer.scale_width)};
  if (c.family != Family::Gpt2 && c.family != Family::Bert) {
    c.position.kind = PositionKind::Rotary;
    c.position.theta = layer.theta.value_or(10000);
    const double share = layer.turned_share.value_or(c.family == Family::GptNeoX ? 0.25 : 1);
    c.position.dims = static_cast<Index>(static_cast<double>(c.head_width) * share);
    if (c.position.dims < 2 || c.position.dims % 2 != 0)
      throw Error(std::to_string(c.position.dims) + " numbers of a head are turned, which are no pairs",
                  "rotary_pct", kMend);
    if (!layer.scaling.empty())
      throw Error("positions scaled in the way of " + in_quotes(layer.scaling) + " are not known here",
                  "rope_scaling", "known are llama3, with original_max_position_embeddings, and none");
    c.position.scaling = layer.rotary_scaling.value_or(RotaryScaling{});
  }
  const bool windows = c.family == Family::Mistral || c.family == Family::Gemma2 ||
                       c.family == Family::Qwen2 || c.family == Family::Qwen3;
  for (Index i = 0; i < c.layers; ++i)
    c.windows.push_back(windows ? layer.window_of(i) : std::nullopt);
}

}  // namespace

const char* family_name(Family family) {
  return kFamilies[static_cast<std::size_t>(family)];
}

AttentionSettings NetworkConfig::attention(Index layer) const {
  AttentionSettings a;
  a.projection = Projection::Linear;
  a.d_out = width;
  a.num_heads = heads;
  a.num_kv_heads = kv_heads == heads ? 0 : kv_heads;
  a.d_k = a.d_v = head_width;
  a.position = position;
  a.qkv_bias = qkv_bias;
  a.output_projection = true;
  a.scale = scale;
  if (scale_by_layer)
    a.scale = {ScaleKind::Number,
               (scale.kind == ScaleKind::None ? 1 : 1 / std::sqrt(static_cast<double>(head_width))) /
                   static_cast<double>(layer + 1)};
  a.softcap = softcap;
  const std::optional<Index>& window = windows[static_cast<std::size_t>(layer)];
  if (causal && !window) a.mask = MaskKind::Causal;
  if (window) {
    a.mask = MaskKind::Rules;
    a.rules.causal = true;
    a.rules.left = *window - 1;
  }
  a.dropout.training = false;
  return a;
}

NetworkConfig parse_network_config(const std::string& text) {
  const Json document = parse_json(text);
  if (!document.is_object()) throw Error("it is " + json_kind(document) + ", expected an object", "", kMend);
  const Config json(document);
  NetworkConfig c;
  c.family = family_of(json);
  if (json.find("quantization_config"))
    throw Error("the weights are quantised", "quantization_config",
                "open the model as it was before, in F32, F16 or BF16");
  c.vocabulary = json.size({"vocab_size"}, kMostVocabulary);
  switch (c.family) {
    case Family::Gpt2:
      read_gpt2(json, c);
      break;
    case Family::GptNeoX:
      read_neox(json, c);
      break;
    case Family::Bert:
      read_bert(json, c);
      break;
    default:
      read_llama(json, c);
  }
  read_attention(parse_layer_config(text), c);
  return c;
}

}  // namespace headlight
