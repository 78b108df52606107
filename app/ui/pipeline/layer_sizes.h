// The sizes of a layer, in words.
#pragma once

#include <string>

#include "engine/layer/layer.h"

namespace headlight {

// A line for each letter: "T: 6 tokens".
std::string sizes_text(const Layer& layer);

}  // namespace headlight
