// The model "Unigram" of a tokenizer.json, SentencePiece's: of all segmentations of a word, the one of the
// highest score.
#pragma once

#include <memory>

#include "engine/json/json_document.h"
#include "engine/tokenizers/vocabulary.h"

namespace headlight {

// model: an object whose vocab is a list. Throws `Error` with a place that begins with "model"; the encoder
// throws for an unknown character when the model has no unk_id, and as SearchBudget does.
WordEncoder read_unigram(const Json& model, const std::shared_ptr<const Vocabulary>& vocabulary);

}  // namespace headlight
