// The model "WordLevel" of a tokenizer.json: whole words, and one id for all others.
#pragma once

#include <memory>

#include "engine/json/json_document.h"
#include "engine/tokenizers/vocabulary.h"

namespace headlight {

// model: an object. Throws `Error` with a place that begins with "model"; the encoder throws for an unknown
// word when the vocabulary lacks the unk_token.
WordEncoder read_word_level(const Json& model, const std::shared_ptr<const Vocabulary>& vocabulary);

}  // namespace headlight
