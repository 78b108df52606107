// Rotary positions in a config.json, in any of the forms that Hugging Face's library has used.
#pragma once

#include <string>
#include <vector>

#include "engine/network/config_fields.h"

namespace headlight {

struct ConfigRotary {
  Position position;
  double dynamic = 0;               // NetworkConfig::dynamic
  std::vector<std::string> unread;  // members that this kind of positions does not use: "rope_scaling.factor"
};

// Reads rope_theta (gpt_neox: rotary_emb_base), at top level or in rope_parameters, and the kind of scaling
// there or in rope_scaling: linear, dynamic, yarn, llama3. Throws Error for other kinds, for layers with
// different rotations, for inconsistent numbers, and if two members contradict each other.
ConfigRotary read_rotary(const ConfigFields& json, Index head_width, Index positions);

}  // namespace headlight
