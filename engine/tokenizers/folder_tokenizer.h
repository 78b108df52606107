// The tokenizer of a model's folder, whichever of the hub's files it is in.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "engine/json/json_document.h"
#include "engine/tokenizers/tokenizer.h"

namespace headlight {

// The names of all files that a tokenizer is read from, of whichever kind it is.
const std::vector<std::string>& tokenizer_file_names();

// Reads tokenizer.json; without it vocab.json with merges.txt, tokenizer.model or spiece.model, or vocab.txt.
// nullopt if the folder has none of them. Throws Error for files that are not supported or malformed;
// Stopped.
std::optional<Tokenizer> read_folder_tokenizer(const std::filesystem::path& folder);

// The content of a tokenizer.json for that tokenizer, if it is in a tokenizer.json, or in a vocab.json with
// merges.txt; null for others. Throws Error as above.
Json folder_tokenizer_document(const std::filesystem::path& folder);

}  // namespace headlight
