// Windows of layers in a config.json.
#pragma once

#include <optional>
#include <vector>

#include "engine/architecture/config_fields.h"

namespace headlight {

// By layer, whether its window applies: by layer_types, or as `usual` says if the file has none. Throws Error
// for a list of another length and for other types of layers.
std::vector<bool> sliding_layers(const ConfigFields& json, Index layers, std::vector<bool> usual);

// Gives these layers the window. Throws Error if there are such layers, but no window. how: how a window is
// stated in this family.
void set_windows(NetworkConfig& c, const std::vector<bool>& slides, std::optional<Index> window,
                 const char* how = "give a number, or let layer_types be without sliding_attention");

// sliding_window, for all layers.
void window_in_all_layers(const ConfigFields& json, NetworkConfig& c);

}  // namespace headlight
