// The model "BPE" of a tokenizer.json.
#pragma once

#include <memory>

#include "engine/json/json_document.h"
#include "engine/tokenizers/vocabulary.h"

namespace headlight {

// model: an object. needs_byte_letters: whether words come as GPT-2's letters, which must all be in the
// vocabulary unless there is an unk_token. Throws Error with a place from "model" on.
WordEncoder read_bpe(const Json& model, const std::shared_ptr<const Vocabulary>& vocabulary,
                     bool needs_byte_letters);

}  // namespace headlight
