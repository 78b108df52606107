// Vocabularies in text files: vocab.json with merges.txt (byte-level BPE), and vocab.txt (WordPiece).
#pragma once

#include <string>

#include "engine/json/json_document.h"
#include "engine/tokenizers/tokenizer_settings.h"

namespace headlight {

// The list "merges" of a merges.txt: a line for each merge, "a b", after an optional line "#version: ...".
// Throws Error with the number of a line that is not two words.
Json parse_merges(const std::string& text);

// {"word": id, ...} of a vocab.txt: line by line, from 0 on. Throws Error if it has no line, or for a line
// that is not UTF-8.
Json parse_word_lines(const std::string& text);

// A tokenizer.json as the library transformers makes it of these vocabularies, by the class that the settings
// name, or else by the family. Throws Error for a class that is not known here.
Json byte_level_tokenizer(Json vocabulary, Json merges, const TokenizerSettings& settings);
Json word_piece_tokenizer(Json vocabulary, const TokenizerSettings& settings);

}  // namespace headlight
