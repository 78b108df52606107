// What the config.json beside a file of arrays says of a layer, as Hugging Face's libraries write it.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/architecture/network_config.h"

namespace headlight {

struct LayerConfig {           // members that the file lacks are nullopt or empty
  std::string model_type;      // "llama"
  std::optional<Index> width;  // d_in: hidden_size, n_embd or d_model
  std::optional<Index> heads, head_width;
  std::optional<double> theta;  // of rotary positions
  // The whole model, if its family is one of those that are computed; of a file without model_type, but with
  // a theta: as of a Llama. Null: its settings are not known.
  std::shared_ptr<const NetworkConfig> model;
  // What the file asks for that is not computed, and `model` is without: "attention to another model's tokens
  // (true)".
  std::vector<std::string> beyond;
};

// Throws Error, with the member's name, for text that is not a JSON object and for invalid numbers.
LayerConfig parse_layer_config(const std::string& text);

// Reads the config.json in the folder of an array file; nullopt if there is none. Throws Error as above, and
// if the file cannot be read.
std::optional<LayerConfig> read_layer_config(const std::filesystem::path& array_file);

}  // namespace headlight
