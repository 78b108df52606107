#include "engine/families/qwen_windows.h"

#include "engine/architecture/config_windows.h"

namespace headlight {

void read_qwen_windows(const ConfigFields& json, NetworkConfig& c) {
  std::optional<Index> window;
  if (json.flag("use_sliding_window")) window = json.size_if("sliding_window", kMostVocabulary);
  constexpr Index kMostLayer = 1'000'000;
  const Index from = json.count("max_window_layers", kMostLayer);
  std::vector<bool> usual;
  for (Index i = 0; i < c.layers; ++i)
    usual.push_back(window && i >= from);
  set_windows(c, sliding_layers(json, c.layers, usual), window,
              "let use_sliding_window be true and sliding_window a number, or layer_types be without "
              "sliding_attention");
}

}  // namespace headlight
