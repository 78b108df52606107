// Recognizes files that are mistaken for a tokenizer.json; the errors name them and the right file.
#pragma once

#include <filesystem>
#include <string>

#include "engine/core/error.h"
#include "engine/json/json_document.h"

namespace headlight {

// Throws `Error` for a Git LFS pointer, and for text that does not begin like JSON.
void require_json_text(const std::string& text);

// Throws `Error` for Keras's text tokenizer, for a vocabulary alone, and for the hub's other files:
// tokenizer_config.json, special_tokens_map.json, config.json. Any other document passes.
void require_tokenizer(const Json& document);

// The error for a folder without tokenizer.json: which files of a slow tokenizer it has, and how to make a
// fast one.
Error missing_tokenizer(const std::filesystem::path& folder);

}  // namespace headlight
