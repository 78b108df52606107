// The tokenizer of a model's folder, whichever of the hub's files it is in.
#pragma once

#include <filesystem>
#include <optional>

#include "engine/tokenizers/tokenizer.h"

namespace headlight {

// Reads tokenizer.json; without it vocab.json with merges.txt, tokenizer.model or spiece.model, or vocab.txt.
// nullopt if the folder has none of them. Throws Error for files that are not supported or malformed;
// Stopped.
std::optional<Tokenizer> read_folder_tokenizer(const std::filesystem::path& folder);

}  // namespace headlight
