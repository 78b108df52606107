// Rotary positions in a config.json, in any of the forms that Hugging Face's library has used.
#pragma once

#include <string>
#include <vector>

#include "engine/architecture/config_fields.h"

namespace headlight {

// Reads theta, by the family's names, at top level or in rope_parameters, and the kind of scaling there or in
// rope_scaling: linear, dynamic, yarn, longrope, llama3. Sets the position, the local one, and what grows
// with a text. unread: receives members that this kind of positions does not use: "rope_scaling.factor".
// Throws Error for other kinds, for layers that turn in different ways in a family without such layers, for
// inconsistent numbers, and if two members contradict each other.
void read_rotary(const ConfigFields& json, NetworkConfig& c, std::vector<std::string>& unread);

}  // namespace headlight
