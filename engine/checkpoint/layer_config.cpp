#include "engine/checkpoint/layer_config.h"

#include <cstdint>
#include <initializer_list>
#include <limits>

#include "engine/core/error.h"
#include "engine/core/file.h"
#include "engine/foreign/foreign_file.h"
#include "engine/json/json_document.h"

namespace headlight {
namespace {

// The first of the members that exists and is not null.
const Json* find(const Json& object, std::initializer_list<const char*> names, std::string* found = nullptr) {
  for (const char* name : names) {
    const auto at = object.find(name);
    if (at == object.end() || at->is_null()) continue;
    if (found) *found = name;
    return &*at;
  }
  return nullptr;
}

// A number above 0, up to `most`.
std::optional<double> number(const Json& object, std::initializer_list<const char*> names,
                             double most = std::numeric_limits<float>::max()) {
  std::string name;
  const Json* value = find(object, names, &name);
  if (!value) return std::nullopt;
  if (!value->is_number())
    throw Error("it is " + json_kind(*value) + ", expected a number", name, "mend the file or move it away");
  const auto read = value->get<double>();
  if (!(read > 0) || read > most)
    throw Error("it is " + value->dump() + ", expected a number above 0" + (most == 1 ? " and up to 1" : ""),
                name, "mend the file or move it away");
  return read;
}

// A whole number; nullopt for anything else, such as a list with one number per layer.
std::optional<Index> count(const Json& object, std::initializer_list<const char*> names) {
  constexpr Index kMost = 1'000'000'000;
  const Json* value = find(object, names);
  if (!value || !value->is_number_integer()) return std::nullopt;
  const auto read = value->get<std::int64_t>();
  return read >= 1 && read <= kMost ? std::optional<Index>(read) : std::nullopt;
}

std::string word(const Json& object, std::initializer_list<const char*> names) {
  const Json* value = find(object, names);
  return value && value->is_string() ? value->get<std::string>() : std::string();
}

bool flag(const Json& object, const char* name, bool fallback) {
  const Json* value = find(object, {name});
  return value && value->is_boolean() ? value->get<bool>() : fallback;
}

// The object with the rotary settings: rope_parameters or rope_scaling, or the file itself if it has neither.
// Newer files nest one object per layer type there; if they differ, config.scaling says so.
const Json& rope_members(const Json& json, LayerConfig& config) {
  const Json* scaling = find(json, {"rope_parameters", "rope_scaling"});
  if (!scaling || !scaling->is_object()) return json;
  if (scaling->empty() || !scaling->begin()->is_object()) return *scaling;
  for (const Json& other : *scaling)
    if (other != *scaling->begin()) config.scaling = "by the type of layer";
  return *scaling->begin();
}

void read_rotary(const Json& json, LayerConfig& config) {
  const Json& nested = rope_members(json, config);
  config.theta = number(nested, {"rope_theta"});
  if (!config.theta) config.theta = number(json, {"rope_theta", "rotary_emb_base"});
  config.rotary_share = number(nested, {"partial_rotary_factor"}, 1);
  if (!config.rotary_share) config.rotary_share = number(json, {"partial_rotary_factor", "rotary_pct"}, 1);
  config.turned = count(json, {"rotary_dim"});
  if (&nested != &json && config.scaling.empty()) config.scaling = word(nested, {"rope_type", "type"});
  if (config.scaling == "default") config.scaling.clear();
  if (config.scaling == "linear") {
    config.rotary_scaling = RotaryScaling::linear(number(nested, {"factor"}).value_or(1));
    config.scaling.clear();
  }
  const std::optional<Index> positions = count(nested, {"original_max_position_embeddings"});
  if (config.scaling != "llama3" || !positions) return;
  RotaryScaling scaled;
  scaled.factor = number(nested, {"factor"}).value_or(8);
  scaled.low = number(nested, {"low_freq_factor"}).value_or(scaled.low);
  scaled.high = number(nested, {"high_freq_factor"}).value_or(scaled.high);
  scaled.positions = *positions;
  if (scaled.high <= scaled.low)
    throw Error("high_freq_factor is not above low_freq_factor", "rope_scaling",
                "mend the file or move it away");
  config.rotary_scaling = scaled;
  config.scaling.clear();
}

void read_window(const Json& json, LayerConfig& config) {
  const bool by_default = !config.model_type.starts_with("qwen2") && !config.model_type.starts_with("qwen3");
  if (flag(json, "use_sliding_window", by_default)) config.window = count(json, {"sliding_window"});
  constexpr Index kUsual = 4096;  // the library's default
  const bool slides = config.model_type == "mistral" || config.model_type == "gemma2";
  if (slides && !json.contains("sliding_window")) config.window = kUsual;
  if (const Json* kinds = find(json, {"layer_types"}); kinds && kinds->is_array())
    for (const Json& kind : *kinds)
      config.slides.push_back(kind.is_string() && kind.get<std::string>() == "sliding_attention");
  config.slides_from = count(json, {"max_window_layers"});
  config.full_every = count(json, {"sliding_window_pattern"});
  if (config.model_type == "gemma2" && !config.full_every) config.full_every = 2;
  if (config.model_type.starts_with("gemma3") && !config.full_every) config.full_every = 6;
}

// The library's defaults for missing members.
void read_gemma2(const Json& json, LayerConfig& config) {
  constexpr double kCap = 50, kScaleWidth = 256;
  if (!json.contains("attn_logit_softcapping")) config.softcap = kCap;
  if (!json.contains("query_pre_attn_scalar")) config.scale_width = kScaleWidth;
}

void read_beyond(const Json& json, LayerConfig& config) {
  for (const char* name : {"scale_attn_by_inverse_layer_idx", "use_qk_norm", "qk_layernorm", "alibi"})
    if (flag(json, name, false)) config.beyond.emplace_back(name);
  const std::string embedding = word(json, {"position_embedding_type"});
  if (embedding.starts_with("relative")) config.beyond.push_back("position_embedding_type " + embedding);
  for (const char* name : {"attention_multiplier", "clip_qkv"})
    if (find(json, {name})) config.beyond.emplace_back(name);
}

}  // namespace

std::optional<Index> LayerConfig::window_of(Index layer) const {
  if (!window) return std::nullopt;
  bool here = true;
  if (!slides.empty())
    here = layer < static_cast<Index>(slides.size()) && slides[static_cast<std::size_t>(layer)];
  else if (full_every)
    here = (layer + 1) % *full_every != 0;
  else if (slides_from)
    here = layer >= *slides_from;
  return here ? window : std::nullopt;
}

LayerConfig parse_layer_config(const std::string& text) {
  const Json document = parse_json(text);
  if (!document.is_object())
    throw Error("it is " + json_kind(document) + ", expected an object", "", "mend the file or move it away");
  // Multimodal models nest the settings of their text model.
  const Json* of_text = find(document, {"text_config", "language_config", "llm_config"});
  const Json& json = of_text && of_text->is_object() ? *of_text : document;
  LayerConfig config;
  config.model_type = word(json, {"model_type"});
  config.width = count(json, {"hidden_size", "n_embd", "d_model"});
  config.heads = count(json, {"num_attention_heads", "n_head", "num_heads", "n_heads", "attention_heads",
                              "encoder_attention_heads", "decoder_attention_heads"});
  config.head_width = count(json, {"head_dim", "d_kv"});
  config.softcap = number(json, {"attn_logit_softcapping"});
  config.scale_width = number(json, {"query_pre_attn_scalar"});
  if (config.model_type == "gemma2") read_gemma2(json, config);
  config.max_distance = count(json, {"relative_attention_max_distance"});
  config.decoder = flag(json, "is_decoder", false);
  config.unscaled = !flag(json, "scale_attn_weights", true);
  read_beyond(json, config);
  read_rotary(json, config);
  read_window(json, config);
  return config;
}

std::optional<LayerConfig> read_layer_config(const std::filesystem::path& array_file) {
  const std::filesystem::path path = array_file.parent_path() / "config.json";
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return std::nullopt;
  require_form(path, FileForm::Json);
  try {
    return parse_layer_config(read_file(path));
  } catch (const Error& problem) {
    throw problem.inside(path.string());
  }
}

}  // namespace headlight
