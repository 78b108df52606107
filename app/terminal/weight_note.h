// A warning about given attention weights that are not the result of a softmax.
#pragma once

#include <filesystem>
#include <ostream>

#include "engine/layer/layer.h"

namespace headlight {

// Writes one line to `err` if the layer's given weights need a warning.
void note_weights(const Layer& layer, const std::filesystem::path& file, std::ostream& err);

}  // namespace headlight
