// Reads a config.json by the table of its family.
#include <algorithm>

#include "engine/architecture/config_rotary.h"
#include "engine/architecture/family.h"
#include "engine/core/error.h"
#include "engine/core/nearest.h"

namespace headlight {
namespace {

Index most_of(Index NetworkConfig::*member) {
  if (member == &NetworkConfig::layers) return kMostLayers;
  const bool counted = member == &NetworkConfig::vocabulary || member == &NetworkConfig::positions ||
                       member == &NetworkConfig::position_rows;
  return counted ? kMostVocabulary : kMostWidth;
}

// Whether JSON null leaves the member as it is, whatever the default for a missing one.
bool may_be_null(const ConfigField& field) {
  if (field.missing == "null") return true;
  if (const auto* size = std::get_if<Index NetworkConfig::*>(&field.target))
    return *size == &NetworkConfig::kv_heads || *size == &NetworkConfig::head_width;
  const auto* number = std::get_if<double NetworkConfig::*>(&field.target);
  return number && (*number == &NetworkConfig::softcap || *number == &NetworkConfig::final_softcap);
}

struct TakeField {
  const ConfigFields& json;
  const ConfigField& field;
  NetworkConfig& c;

  void operator()(std::monostate /*none*/) const {}
  void operator()(Index NetworkConfig::*to) const { c.*to = json.size(field.name, most_of(to)); }
  void operator()(double NetworkConfig::*to) const { c.*to = json.number(field.name); }
  void operator()(bool NetworkConfig::*to) const { c.*to = json.flag(field.name); }
  void operator()(Activation NetworkConfig::*to) const { c.*to = json.activation(field.name); }
};

void take_fields(const ConfigFields& json, NetworkConfig& c) {
  for (const ConfigField& field : c.family->fields) {
    if (may_be_null(field) && json.value(field.name).is_null()) continue;
    std::visit(TakeField{json, field, c}, field.target);
  }
}

void complete_sizes(NetworkConfig& c) {
  const auto or_else = [](Index& size, Index usual) { size = size > 0 ? size : usual; };
  or_else(c.kv_heads, c.heads);
  or_else(c.mlp_width, 4 * c.width);
  or_else(c.embedding_width, c.width);
  or_else(c.position_rows, c.positions);
  if (c.head_width == 0 && c.width % c.heads != 0)
    throw Error(std::to_string(c.heads) + " heads do not divide a width of " + std::to_string(c.width),
                "num_attention_heads", kMendConfig);
  or_else(c.head_width, c.width / c.heads);
  if (c.heads % c.kv_heads != 0)
    throw Error(std::to_string(c.kv_heads) + " heads of keys and values do not divide " +
                    std::to_string(c.heads) + " heads",
                "num_key_value_heads", kMendConfig);
  if (c.position_rows <= c.position_offset)
    throw Error("there are " + std::to_string(c.position_rows) +
                    " rows of positions, but the first token has row " + std::to_string(c.position_offset),
                "max_position_embeddings", kMendConfig);
  if (!c.tensors.positions.empty()) c.positions = std::min(c.positions, c.position_rows - c.position_offset);
}

void check_experts(const Experts& experts) {
  if (experts.count > 0 && experts.chosen > experts.count)
    throw Error("each token takes " + std::to_string(experts.chosen) + " experts, but there are " +
                    std::to_string(experts.count),
                "num_experts_per_tok", kMendConfig);
}

void tell_unread(const ConfigFields& json, const std::vector<std::string>& nested, NetworkConfig& c) {
  std::vector<std::string> names = json.unread();
  names.insert(names.end(), nested.begin(), nested.end());
  if (!names.empty())
    c.notes.push_back("config.json has " + listed(names) + ", which a model of type " + family_name(c) +
                      " does not read: " + (names.size() == 1 ? "it changes" : "they change") + " nothing");
  if (json.find("auto_map"))
    c.notes.push_back(
        "config.json names a program of its own (auto_map), which is not run: the model is computed "
        "as one of type " +
        std::string(family_name(c)));
}

}  // namespace

NetworkConfig config_of(const Family& family, const Json& document) {
  NetworkConfig c = family.base;
  c.family = &family;
  const ConfigFields json(document, family);
  take_fields(json, c);
  c.windows.resize(static_cast<std::size_t>(c.layers));
  if (family.read) family.read(json, c);
  complete_sizes(c);
  if (c.encoder) {
    NetworkConfig encoder = *c.encoder;
    complete_sizes(encoder);
    c.encoder = std::make_shared<const NetworkConfig>(std::move(encoder));
  }
  check_experts(c.experts);
  std::vector<std::string> unread;
  if (c.rotary()) read_rotary(json, c, unread);
  tell_unread(json, unread, c);
  return c;
}

}  // namespace headlight
