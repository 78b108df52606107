// A model's folder as a session: a text in it, and its first layer.
#pragma once

#include <filesystem>

#include "engine/session/session.h"

namespace headlight {

// Whether it is the folder of a model, or its config.json.
bool is_model(const std::filesystem::path& path);

// Opens it with a short text to begin with. Throws Error, as Network; Stopped.
Session model_session(const std::filesystem::path& path);

}  // namespace headlight
