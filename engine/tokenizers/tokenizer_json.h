// Parts of a tokenizer.json, for tokenizers that are learnt or stored in other files.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/json/json_document.h"

namespace headlight {

struct KnownToken {
  std::string text;
  std::int32_t id = 0;
  bool special = true;  // not part of a decoded text
  bool strips_left = false;
};

// The text with that id of a vocabulary {"word": id, ...}; nullptr if it has none.
const Json* id_in(const Json& vocabulary, const std::string& text);

// "added_tokens": found in a text before it is cut.
Json added_tokens(const std::vector<KnownToken>& tokens);

// A post-processor that puts tokens before and after each text; null without any.
Json tokens_around(const std::vector<KnownToken>& before, const std::vector<KnownToken>& after);

// How byte-level BPE cuts a text. Gpt2: by GPT-2's expression. The others by their own, as their libraries
// state it: words with one leading mark, numbers of up to three digits (Llama3) or of one (Qwen2); GptDigits:
// each digit alone, then GPT-2's.
enum class ByteLevelCut { Gpt2, Llama3, Qwen2, GptDigits };
Json byte_level_cut(ByteLevelCut cut, bool adds_space);
Json byte_level_decoder(bool adds_space = true);

// A model "BPE". vocabulary: {"word": id, ...}; merges: "a b" or ["a", "b"]. The flags are those of its
// members; unknown: the token for unknown characters; "": none.
struct BpeParts {
  Json vocabulary, merges;
  std::string unknown;
  bool byte_fallback = false;
  bool ignore_merges = false;
};
Json bpe_model(BpeParts parts);

// The whole document.
// NOLINTNEXTLINE(bugprone-exception-escape): the destructor of a Json may allocate memory
struct TokenizerParts {
  Json model, added, normalizer, pre_tokenizer, post_processor, decoder;
};
Json tokenizer_document(TokenizerParts parts);

}  // namespace headlight
