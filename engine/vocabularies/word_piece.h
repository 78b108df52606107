// The model "WordPiece" of a tokenizer.json: of what is left of a word the longest beginning that is known.
#pragma once

#include <memory>

#include "engine/json/json_document.h"
#include "engine/vocabularies/vocabulary.h"

namespace headlight {

// model: an object. Throws Error with a place from "model" on.
WordEncoder read_word_piece(const Json& model, const std::shared_ptr<const Vocabulary>& vocabulary);

}  // namespace headlight
