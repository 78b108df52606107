#include "engine/array_import/layer_config.h"

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <utility>

#include "engine/core/error.h"
#include "engine/core/file.h"
#include "engine/core/foreign_file.h"
#include "engine/json/json_document.h"
#include "engine/network/known_families.h"

namespace headlight {
namespace {

// The first of the members that exists and is not null.
const Json* find(const Json& object, std::initializer_list<const char*> names) {
  for (const char* name : names) {
    const auto at = object.find(name);
    if (at != object.end() && !at->is_null()) return &*at;
  }
  return nullptr;
}

// A whole number; nullopt for anything else, such as a list with one number per layer.
std::optional<Index> count(const Json& object, std::initializer_list<const char*> names) {
  constexpr Index kMost = 1'000'000'000;
  const Json* value = find(object, names);
  if (!value || !value->is_number_integer()) return std::nullopt;
  const auto read = value->get<std::int64_t>();
  return read >= 1 && read <= kMost ? std::optional<Index>(read) : std::nullopt;
}

// Of rotary positions: in the file, or in its rope_parameters, which may have an object per type of layer.
std::optional<double> theta_in(const Json& json) {
  for (const char* name : {"rope_theta", "rotary_emb_base"})
    if (const Json* value = find(json, {name})) return number_above_0(*value, name);
  const Json* nested = find(json, {"rope_parameters"});
  if (!nested || !nested->is_object() || nested->empty()) return std::nullopt;
  const Json* first = &*nested->begin();
  const Json* value = find(first->is_object() ? *first : *nested, {"rope_theta"});
  return value ? std::optional(number_above_0(*value, "rope_theta")) : std::nullopt;
}

// The family whose layers are those of this model_type; null if none is known.
const Family* family_of(const LayerConfig& config) {
  static constexpr std::pair<std::string_view, std::string_view> kAlike[] = {{"xlm-roberta", "roberta"},
                                                                             {"camembert", "roberta"},
                                                                             {"gemma3", "gemma3_text"},
                                                                             {"qwen2_moe", "qwen2"},
                                                                             {"mt5", "t5"},
                                                                             {"umt5", "t5"}};
  std::string name = config.model_type;
  if (name.empty() && config.theta) name = "llama";
  for (const auto& [type, family] : kAlike)
    if (name == type) name = family;
  return find_family(name);
}

// A size in the place of one that the file lacks, and that changes nothing of a layer whose heads divide its
// width.
Index any_size(const ConfigField& field, const LayerConfig& config) {
  constexpr Index kUsualHead = 64;
  const auto* size = std::get_if<Index NetworkConfig::*>(&field.target);
  if (!size) return 1;
  const Index heads = config.heads.value_or(1);
  if (*size == &NetworkConfig::heads) return heads;
  if (*size == &NetworkConfig::width) return config.width.value_or(heads * kUsualHead);
  if (*size == &NetworkConfig::layers) return kMostLayers;
  return *size == &NetworkConfig::positions ? kMostVocabulary : 1;
}

// With the sizes that a whole model needs and a layer does not: files of single layers may lack them.
Json completed(Json json, const Family& family, const LayerConfig& config) {
  const auto states = [&](std::string_view name) {
    return !name.empty() && json.contains(std::string(name));
  };
  for (const ConfigField& field : family.fields) {
    if (states(field.name) || states(field.also)) continue;
    const auto* size = std::get_if<Index NetworkConfig::*>(&field.target);
    const bool of_keys = size && *size == &NetworkConfig::kv_heads;
    if (of_keys && config.heads) json[std::string(field.name)] = *config.heads;
    if (field.missing.empty()) json[std::string(field.name)] = any_size(field, config);
  }
  return json;
}

// The member, of those at the top of the file, that asks for what is not computed; "" if the fault is
// another.
std::string asks_too_much(const Family& family, const Json& json, const Error& error) {
  const std::string name = error.where().substr(0, error.where().find('.'));
  const std::vector<ConfigLimit> limits = fields_limited(family);
  const bool limited =
      std::any_of(limits.begin(), limits.end(), [&](const ConfigLimit& limit) { return limit.name == name; });
  const bool rotary = name == "rope_scaling" || name == "rope_parameters";
  return (limited || rotary) && json.contains(name) ? name : std::string();
}

// The model without what is not computed, which `beyond` tells.
std::shared_ptr<const NetworkConfig> model_of(const Family& family, Json json,
                                              std::vector<std::string>& beyond) {
  while (true)
    try {
      return std::make_shared<const NetworkConfig>(config_of(family, json));
    } catch (const Error& error) {
      const std::string member = asks_too_much(family, json, error);
      if (member.empty()) throw;
      beyond.push_back(member + " (" + error.what() + ")");
      json.erase(member);
    }
}

}  // namespace

LayerConfig parse_layer_config(const std::string& text) {
  const Json document = parse_json(text);
  if (!document.is_object())
    throw Error("it is " + json_kind(document) + ", expected an object", "", "mend the file or move it away");
  // Multimodal models nest the settings of their text model.
  const Json* of_text = find(document, {"text_config", "language_config", "llm_config"});
  const Json& json = of_text && of_text->is_object() ? *of_text : document;
  LayerConfig config;
  if (const Json* type = find(json, {"model_type"}); type && type->is_string())
    config.model_type = type->get<std::string>();
  config.width = count(json, {"hidden_size", "n_embd", "d_model"});
  config.heads = count(json, {"num_attention_heads", "n_head", "num_heads", "n_heads", "attention_heads",
                              "encoder_attention_heads", "decoder_attention_heads"});
  config.head_width = count(json, {"head_dim", "d_kv"});
  config.theta = theta_in(json);
  if (const Family* family = family_of(config))
    config.model = model_of(*family, completed(json, *family, config), config.beyond);
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
