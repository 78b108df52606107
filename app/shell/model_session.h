// A session that shows a model's folder: a text and the model's first layer.
#pragma once

#include <filesystem>
#include <string>

#include "engine/interpretation/open_model.h"
#include "engine/session/session.h"

namespace headlight {

// Whether the path is a directory, a config.json or a GGUF file.
bool is_model(const std::filesystem::path& path);

// Opens the model, or the last of the checkpoints that a folder holds, with a text; "": a short one of its
// vocabulary. Throws Error as Network does; throws Stopped.
Session model_session(const std::filesystem::path& path, const std::string& text = "");

// A session on an open model: its name and its shown layer.
Session session_of_model(OpenModel work);

}  // namespace headlight
