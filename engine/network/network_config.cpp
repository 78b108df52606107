#include "engine/network/network_config.h"

#include <array>
#include <cmath>
#include <cstdint>

#include "engine/core/error.h"
#include "engine/core/nearest.h"
#include "engine/network/config_fields.h"
#include "engine/network/config_rotary.h"

namespace headlight {
namespace {

constexpr const char* kOneByOne =
    "known are gpt2, gpt_neox, llama, mistral, qwen2, qwen3, gemma2 and bert; of other models the layers can "
    "be "
    "opened one by one: open their .safetensors file";
constexpr Index kMostWidth = 1 << 20, kMostLayers = 1024, kMostVocabulary = 1 << 24;

constexpr std::array<const char*, 8> kFamilies = {"gpt2",  "gpt_neox", "llama",  "mistral",
                                                  "qwen2", "qwen3",    "gemma2", "bert"};

Family family_of(const Json& document) {
  const auto found = document.find("model_type");
  if (found == document.end() || found->is_null())
    throw Error("config.json does not say model_type", "model_type", kOneByOne);
  if (!found->is_string())
    throw Error("it is " + json_kind(*found) + ", expected text", "model_type", kMendConfig);
  const auto type = found->get<std::string>();
  for (std::size_t i = 0; i < kFamilies.size(); ++i)
    if (type == kFamilies[i]) return static_cast<Family>(i);
  throw Error("models of type " + in_quotes(type) + " are not known here", "model_type", kOneByOne);
}

Activation read_activation(const ConfigFields& json, const char* member) {
  const std::string name = json.word(member);
  if (name == "gelu" || name == "gelu_python") return Activation::Gelu;
  for (const char* known :
       {"gelu_new", "gelu_pytorch_tanh", "gelu_fast", "gelu_accurate", "gelu_python_tanh"})
    if (name == known) return Activation::GeluTanh;
  if (name == "silu" || name == "swish") return Activation::Silu;
  if (name == "quick_gelu") return Activation::QuickGelu;
  if (name == "relu") return Activation::Relu;
  if (name == "relu2") return Activation::ReluSquared;
  throw Error("the activation " + in_quotes(name) + " is not known here", member,
              "known are gelu, gelu_new, gelu_pytorch_tanh, quick_gelu, silu, relu and relu2");
}

void read_gpt2(const ConfigFields& json, NetworkConfig& c) {
  c.width = json.size("n_embd", kMostWidth);
  c.layers = json.size("n_layer", kMostLayers);
  c.heads = c.kv_heads = json.size("n_head", kMostWidth);
  c.positions = json.size("n_positions", kMostVocabulary);
  c.mlp_width = json.size_if("n_inner", kMostWidth).value_or(4 * c.width);
  c.epsilon = json.number("layer_norm_epsilon");
  c.activation = read_activation(json, "activation_function");
  c.tied = json.flag("tie_word_embeddings");
  c.qkv_bias = c.output_bias = c.mlp_bias = true;
  if (!json.flag("scale_attn_weights")) c.scale = {ScaleKind::None};
  c.scale_by_layer = json.flag("scale_attn_by_inverse_layer_idx");
}

// The members that all families except gpt2 name alike.
void read_sizes(const ConfigFields& json, NetworkConfig& c) {
  c.width = json.size("hidden_size", kMostWidth);
  c.layers = json.size("num_hidden_layers", kMostLayers);
  c.heads = c.kv_heads = json.size("num_attention_heads", kMostWidth);
  c.mlp_width = json.size("intermediate_size", kMostWidth);
  c.positions = json.size("max_position_embeddings", kMostVocabulary);
}

void read_neox(const ConfigFields& json, NetworkConfig& c) {
  read_sizes(json, c);
  c.epsilon = json.number("layer_norm_eps");
  c.activation = read_activation(json, "hidden_act");
  c.parallel = json.flag("use_parallel_residual");
  c.tied = json.flag("tie_word_embeddings");
  c.qkv_bias = c.output_bias = json.flag("attention_bias");
  c.mlp_bias = true;
}

void read_bert(const ConfigFields& json, NetworkConfig& c) {
  read_sizes(json, c);
  c.norm_place = NormPlace::After;
  c.epsilon = json.number("layer_norm_eps");
  c.activation = read_activation(json, "hidden_act");
  c.token_types = json.size("type_vocab_size", kMostWidth);
  c.causal = json.flag("is_decoder");
  c.tied = json.flag("tie_word_embeddings");
  c.qkv_bias = c.output_bias = c.mlp_bias = true;
}

void read_gemma2(const ConfigFields& json, NetworkConfig& c) {
  c.norm = NormKind::RmsPlusOne;
  c.norm_place = NormPlace::Around;
  c.activation = read_activation(json, "hidden_activation");
  c.scale = {ScaleKind::Number, 1 / std::sqrt(json.number("query_pre_attn_scalar"))};
  c.softcap = json.number_if("attn_logit_softcapping").value_or(0);
  c.final_softcap = json.number_if("final_logit_softcapping").value_or(0);
  c.embedding_factor = std::sqrt(static_cast<double>(c.width));
}

// For llama and the families derived from it.
void read_llama(const ConfigFields& json, NetworkConfig& c) {
  read_sizes(json, c);
  c.kv_heads = json.size_if("num_key_value_heads", kMostWidth).value_or(c.heads);
  c.norm = NormKind::Rms;
  c.epsilon = json.number("rms_norm_eps");
  c.gated = true;
  c.tied = json.flag("tie_word_embeddings");
  c.head_norms = c.family == Family::Qwen3;
  const bool may_have_biases = c.family != Family::Mistral && c.family != Family::Qwen2;
  c.output_bias = may_have_biases && json.flag("attention_bias");
  c.qkv_bias = c.output_bias || c.family == Family::Qwen2;
  c.mlp_bias = c.family == Family::Llama && json.flag("mlp_bias");
  if (c.family == Family::Gemma2)
    read_gemma2(json, c);
  else
    c.activation = read_activation(json, "hidden_act");
}

void read_heads(const ConfigFields& json, NetworkConfig& c) {
  const bool own_width = c.gated;  // llama and the families derived from it
  const auto said = own_width ? json.size_if("head_dim", kMostWidth) : std::nullopt;
  if (c.width % c.heads != 0 && !said)
    throw Error(std::to_string(c.heads) + " heads do not divide a width of " + std::to_string(c.width),
                "num_attention_heads", kMendConfig);
  c.head_width = said.value_or(c.width / c.heads);
  if (c.heads % c.kv_heads != 0)
    throw Error(std::to_string(c.kv_heads) + " heads of keys and values do not divide " +
                    std::to_string(c.heads) + " heads",
                "num_key_value_heads", kMendConfig);
}

// layer_types: whether the window applies, by layer.
std::vector<bool> sliding_layers(const Json& types, Index layers) {
  if (!types.is_array() || static_cast<Index>(types.size()) != layers)
    throw Error("it is " + json_kind(types) +
                    (types.is_array() ? " of " + std::to_string(types.size()) : "") +
                    ", expected a list of one word for each of the " + std::to_string(layers) + " layers",
                "layer_types", kMendConfig);
  std::vector<bool> slides;
  for (const Json& type : types) {
    if (type != "full_attention" && type != "sliding_attention")
      throw Error("a layer of the type " + type.dump() + " is not computed here", "layer_types",
                  "known are full_attention and sliding_attention");
    slides.push_back(type == "sliding_attention");
  }
  return slides;
}

// If the file has no layer_types: every layer of mistral has the window, every second one of gemma2 from the
// first on, and of the other families those from max_window_layers on.
std::vector<bool> usual_sliding_layers(const ConfigFields& json, const NetworkConfig& c) {
  std::vector<bool> slides;
  constexpr std::int64_t kMostLayer = 1'000'000;
  const bool qwen = c.family == Family::Qwen2 || c.family == Family::Qwen3;
  const Json from = qwen ? json.value("max_window_layers") : Json(0);
  if (!from.is_number_integer() || from.get<std::int64_t>() < 0 || from.get<std::int64_t>() > kMostLayer)
    throw Error("it is " + from.dump() + ", expected a whole number from 0 on", "max_window_layers",
                kMendConfig);
  for (Index i = 0; i < c.layers; ++i)
    slides.push_back(c.family == Family::Gemma2 ? i % 2 == 0 : i >= from.get<std::int64_t>());
  return slides;
}

void read_windows(const ConfigFields& json, NetworkConfig& c) {
  c.windows.resize(static_cast<std::size_t>(c.layers));
  const bool mistral = c.family == Family::Mistral, gemma = c.family == Family::Gemma2;
  const bool qwen = c.family == Family::Qwen2 || c.family == Family::Qwen3;
  if (!mistral && !gemma && !qwen) return;
  std::optional<Index> window;
  if (!qwen || json.flag("use_sliding_window")) window = json.size_if("sliding_window", kMostVocabulary);
  const Json types = mistral ? Json() : json.value("layer_types");
  if (types.is_null() && !window && !gemma) return;
  const std::vector<bool> slides =
      types.is_null() ? usual_sliding_layers(json, c) : sliding_layers(types, c.layers);
  for (std::size_t i = 0; i < slides.size(); ++i) {
    if (!slides[i]) continue;
    if (!window)
      throw Error(
          "layer " + std::to_string(i) + " has a window, but how wide it is is not said", "sliding_window",
          qwen ? "let use_sliding_window be true and sliding_window a number, or layer_types be without "
                 "sliding_attention"
               : "give a number, or let layer_types be without sliding_attention");
    c.windows[i] = window;
  }
}

void tell_unread(const ConfigFields& json, const std::vector<std::string>& nested, NetworkConfig& c) {
  std::vector<std::string> names = json.unread();
  names.insert(names.end(), nested.begin(), nested.end());
  if (!names.empty())
    c.notes.push_back("config.json has " + listed(names) + ", which a model of type " +
                      family_name(c.family) +
                      " does not read: " + (names.size() == 1 ? "it changes" : "they change") + " nothing");
  if (json.find("auto_map"))
    c.notes.push_back(
        "config.json names a program of its own (auto_map), which is not run: the model is computed "
        "as one of type " +
        std::string(family_name(c.family)));
}

void read_attention(const ConfigFields& json, NetworkConfig& c) {
  read_heads(json, c);
  std::vector<std::string> unread;
  if (c.family != Family::Gpt2 && c.family != Family::Bert) {
    const ConfigRotary rotary = read_rotary(json, c.head_width, c.positions);
    c.position = rotary.position;
    c.dynamic = rotary.dynamic;
    unread = rotary.unread;
  }
  read_windows(json, c);
  tell_unread(json, unread, c);
}

}  // namespace

const char* family_name(Family family) {
  return kFamilies[static_cast<std::size_t>(family)];
}

// The library's "dynamic" scaling of rotary positions (NTK-aware).
Position NetworkConfig::position_in(Index tokens) const {
  Position grown = position;
  if (dynamic == 0 || tokens <= positions) return grown;
  const double longer = static_cast<double>(tokens) / static_cast<double>(positions);
  const auto dims = static_cast<double>(position.dims);
  grown.theta *= std::pow(dynamic * longer - (dynamic - 1), dims / (dims - 2));
  return grown;
}

AttentionSettings NetworkConfig::attention(Index layer, Index tokens) const {
  AttentionSettings a;
  a.projection = Projection::Linear;
  a.d_out = width;
  a.num_heads = heads;
  a.num_kv_heads = kv_heads == heads ? 0 : kv_heads;
  a.d_k = a.d_v = head_width;
  a.position = position_in(tokens);
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
  if (!document.is_object())
    throw Error("it is " + json_kind(document) + ", expected an object", "", kMendConfig);
  NetworkConfig c;
  c.family = family_of(document);
  const ConfigFields json(document, c.family);
  c.vocabulary = json.size("vocab_size", kMostVocabulary);
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
    case Family::Llama:
    case Family::Mistral:
    case Family::Qwen2:
    case Family::Qwen3:
    case Family::Gemma2:
      read_llama(json, c);
      break;
  }
  read_attention(json, c);
  return c;
}

}  // namespace headlight
