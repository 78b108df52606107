// The model "BPE" of a tokenizer.json.
#pragma once

#include <memory>

#include "engine/json/json_document.h"
#include "engine/tokenizers/vocabulary.h"

namespace headlight {

// model: an object. Throws `Error` with a place that begins with "model".
WordEncoder read_bpe(const Json& model, const std::shared_ptr<const Vocabulary>& vocabulary);

}  // namespace headlight
