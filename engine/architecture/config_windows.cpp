#include "engine/architecture/config_windows.h"

#include "engine/core/error.h"

namespace headlight {

std::vector<bool> sliding_layers(const ConfigFields& json, Index layers, std::vector<bool> usual) {
  const Json types = json.value("layer_types");
  if (types.is_null()) return usual;
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

void set_windows(NetworkConfig& c, const std::vector<bool>& slides, std::optional<Index> window,
                 const char* how) {
  for (std::size_t i = 0; i < slides.size(); ++i) {
    if (!slides[i]) continue;
    if (!window)
      throw Error("layer " + std::to_string(i) + " has a window, but how wide it is is not said",
                  "sliding_window", how);
    c.windows[i] = window;
  }
}

void window_in_all_layers(const ConfigFields& json, NetworkConfig& c) {
  const std::optional<Index> window = json.size_if("sliding_window", kMostVocabulary);
  if (window) set_windows(c, std::vector<bool>(c.windows.size(), true), window);
}

}  // namespace headlight
