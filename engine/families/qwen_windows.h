// Windows of Qwen 2 and 3.
#pragma once

#include "engine/architecture/config_fields.h"

namespace headlight {

// Windows: those that layer_types names; else of the layers from max_window_layers on, with
// use_sliding_window alone.
void read_qwen_windows(const ConfigFields& json, NetworkConfig& c);

}  // namespace headlight
