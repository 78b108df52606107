#include "engine/families/llamas.h"

#include "engine/architecture/config_windows.h"
#include "engine/core/error.h"
#include "engine/families/llama_table.h"

namespace headlight {

namespace {

// no_rope_layers: 1 for a layer with rotary positions, 0 for one without; else every
// no_rope_layer_interval-th has none.
void read_unturned(const ConfigFields& json, NetworkConfig& c) {
  const Index interval = json.size("no_rope_layer_interval", kMostLayers);
  const Json value = json.value("no_rope_layers");
  const Json list = is_packed(value) ? Json(packed_numbers(value)) : value;
  if (list.is_null()) {
    for (Index i = 0; i < c.layers; ++i)
      c.unturned.push_back((i + 1) % interval == 0);
    return;
  }
  if (!list.is_array() || static_cast<Index>(list.size()) != c.layers)
    throw Error("it is " + json_kind(value) + (list.is_array() ? " of " + std::to_string(list.size()) : "") +
                    ", expected a list of 0 and 1 for each of the " + std::to_string(c.layers) + " layers",
                "no_rope_layers", kMendConfig);
  for (const Json& turned : list) {
    if (turned != 0 && turned != 1)
      throw Error("it has " + turned.dump() + ", expected 0 and 1", "no_rope_layers", kMendConfig);
    c.unturned.push_back(turned == 0);
  }
}

void read_smollm3(const ConfigFields& json, NetworkConfig& c) {
  read_attention_bias(json, c);
  read_unturned(json, c);
  std::optional<Index> window;
  if (json.flag("use_sliding_window")) window = json.size_if("sliding_window", kMostVocabulary);
  std::vector<bool> usual;
  for (const bool unturned : c.unturned)
    usual.push_back(window && unturned);
  std::vector<bool> slides = sliding_layers(json, c.layers, usual);
  if (!window) slides.assign(slides.size(), false);
  set_windows(c, slides, window);
}

}  // namespace

const Family& smollm3_family() {
  static const Family kFamily = [] {
    Family family;
    family.name = "smollm3";
    family.base = llama_base();
    family.fields = llama_fields("32768", "4", "null",
                                 joined({llama_activation("true"),
                                         {{"rms_norm_eps", "1e-6", &NetworkConfig::epsilon},
                                          {"attention_bias", "false"},
                                          {"mlp_bias", "false", &NetworkConfig::mlp_bias},
                                          {"no_rope_layers", "null"},
                                          {"no_rope_layer_interval", "4"},
                                          {"use_sliding_window", "false"},
                                          {"sliding_window", "null"},
                                          {"layer_types", "null"}}}));
    family.limits = {{"partial_rotary_factor", {"null", "1"}, "heads that are turned in part"}};
    for (ConfigField& field : family.fields)
      if (field.name == "rope_theta") field.missing = "2000000";
    family.read = read_smollm3;
    family.idle = {"max_window_layers"};
    family.needs = "layers without positions";
    return family;
  }();
  return kFamily;
}

}  // namespace headlight
