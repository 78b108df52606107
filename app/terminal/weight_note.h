// What is said of weights of attention that are given and are not as a softmax leaves them.
#pragma once

#include <filesystem>
#include <ostream>

#include "engine/model/model.h"

namespace headlight {

// One line on `err`, or nothing where there is nothing to say.
void note_weights(const Model& model, const std::filesystem::path& file, std::ostream& err);

}  // namespace headlight
