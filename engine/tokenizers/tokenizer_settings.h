// What a model's folder says of its tokenizer beside the vocabulary: tokenizer_config.json,
// special_tokens_map.json, added_tokens.json, and the family in config.json.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/json/json_document.h"
#include "engine/tokenizers/tokenizer_json.h"

namespace headlight {

struct TokenizerSettings {
  std::string tokenizer_class;               // "GPT2Tokenizer", without "Fast"; "": not said
  std::string model_type;                    // of config.json; "": not said
  std::map<std::string, std::string> named;  // "bos_token" and the like: the token's text
  std::vector<KnownToken> added;             // by id
  std::map<std::string, bool> flags;         // every member that is true or false

  bool flag(const std::string& name, bool fallback) const;
  std::string token(const std::string& name, const std::string& fallback) const;
};

// Missing files are left out. Throws Error for one that is not a JSON object, or too large.
TokenizerSettings read_tokenizer_settings(const std::filesystem::path& folder);

}  // namespace headlight
