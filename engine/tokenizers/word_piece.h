// The model "WordPiece" of a tokenizer.json: takes the longest known beginning of the rest of a word.
#pragma once

#include <memory>

#include "engine/json/json_document.h"
#include "engine/tokenizers/vocabulary.h"

namespace headlight {

// model: an object. Throws `Error` with a place that begins with "model".
WordEncoder read_word_piece(const Json& model, const std::shared_ptr<const Vocabulary>& vocabulary);

}  // namespace headlight
