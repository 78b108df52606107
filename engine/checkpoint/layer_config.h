// The settings of a model's attention layers in its config.json, as Hugging Face's libraries write it.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "engine/model/position.h"

namespace headlight {

struct LayerConfig {           // members that the file lacks are nullopt or empty
  std::string model_type;      // "llama"
  std::optional<Index> width;  // d_in: hidden_size, n_embd or d_model
  std::optional<Index> heads, head_width;
  std::optional<double> theta;                  // of rotary positions
  std::optional<double> rotary_share;           // of a head's dimensions, those that rotary positions rotate
  std::optional<Index> turned;                  // the same as a number of dimensions
  std::optional<RotaryScaling> rotary_scaling;  // "linear", or "llama3" with all its numbers
  std::string scaling;                          // the name of any other scaling of rotary positions
  std::optional<Index> window;                  // how many keys a query sees, its own included
  std::vector<bool> slides;                     // by layer: whether the window applies; see window_of
  std::optional<Index> slides_from, full_every;
  std::optional<double> softcap, scale_width;  // the scale is 1 / sqrt(scale_width)
  std::optional<Index> max_distance;           // of relative positions
  bool unscaled = false;                       // scale_attn_weights is false
  // Unsupported settings that change the attention weights: "position_embedding_type relative_key".
  std::vector<std::string> beyond;
  bool decoder = false;  // is_decoder

  // The window in this layer; nullopt if the layer sees all keys.
  std::optional<Index> window_of(Index layer) const;
  bool operator==(const LayerConfig&) const = default;
};

// Throws Error, with the member's name, for text that is not a JSON object and for invalid numbers.
LayerConfig parse_layer_config(const std::string& text);

// Reads the config.json in the folder of an array file; nullopt if there is none. Throws Error as above, and
// if the file cannot be read.
std::optional<LayerConfig> read_layer_config(const std::filesystem::path& array_file);

}  // namespace headlight
