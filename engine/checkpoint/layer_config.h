// What a config.json says of the attention layers of its model, as Hugging Face's libraries write it.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "engine/model/position.h"

namespace headlight {

struct LayerConfig {           // what the file does not say is none, or empty
  std::string model_type;      // "llama"
  std::optional<Index> width;  // d_in: hidden_size, n_embd or d_model
  std::optional<Index> heads, head_width;
  std::optional<double> theta;                  // of rotary positions
  std::optional<double> turned_share;           // of a head's numbers, those that are turned
  std::optional<Index> turned;                  // the same as a number
  std::optional<RotaryScaling> rotary_scaling;  // "linear", or "llama3" with all that it needs
  std::string scaling;                          // any other way in which rotary positions are scaled
  std::optional<Index> window;                  // the keys that a query sees, itself among them
  std::vector<bool> slides;                     // by layer: whether the window holds there; see window_of
  std::optional<Index> slides_from, full_every;
  std::optional<double> softcap, scale_width;  // the scale is 1 / sqrt(scale_width)
  std::optional<Index> max_distance;           // of relative positions
  bool unscaled = false;                       // scale_attn_weights is false
  // Settings that change the weights and that are not known here: "position_embedding_type relative_key".
  std::vector<std::string> beyond;
  bool decoder = false;  // is_decoder

  // The window in this layer; none where all keys are seen.
  std::optional<Index> window_of(Index layer) const;
  bool operator==(const LayerConfig&) const = default;
};

// Throws Error for what is no JSON, no object, or a number where there is text, with the member's name.
LayerConfig parse_layer_config(const std::string& text);

// The config.json in the folder of a file of arrays; none where there is none. Throws Error as above, and
// when the file cannot be read.
std::optional<LayerConfig> read_layer_config(const std::filesystem::path& array_file);

}  // namespace headlight
