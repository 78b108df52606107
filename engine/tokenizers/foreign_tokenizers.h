// Files that people take for a tokenizer.json, named as what they are, with the way to the right one.
#pragma once

#include <filesystem>
#include <string>

#include "engine/core/error.h"
#include "engine/json/json_document.h"

namespace headlight {

// Throws Error for a Git LFS pointer, and for what does not begin as JSON does.
void require_json_text(const std::string& text);

// Throws Error for Keras's text tokenizer, for a vocabulary alone, and for the hub's other files:
// tokenizer_config.json, special_tokens_map.json, config.json. Whatever else is in a document passes.
void require_tokenizer(const Json& document);

// What to say of a folder without tokenizer.json: which files of a slow tokenizer it has, and how to make a
// fast one.
Error missing_tokenizer(const std::filesystem::path& folder);

}  // namespace headlight
