// What a config.json says of rotary positions, in any of the forms that the hub's library has had for it.
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

// rope_theta (gpt_neox: rotary_emb_base) beside the other members or in rope_parameters, with a kind of
// scaling there or in rope_scaling: linear, dynamic, yarn, llama3. Throws Error for other kinds, for layers
// that turn differently, for numbers that do not go together, and where two members say different things.
ConfigRotary read_rotary(const ConfigFields& json, Index head_width, Index positions);

}  // namespace headlight
