// The tokenizer inside a GGUF file (the keys "tokenizer.ggml.").
#pragma once

#include "engine/checkpoint/gguf_file.h"
#include "engine/tokenizers/tokenizer.h"

namespace headlight {

// Byte-level BPE ("gpt2") and SentencePiece's ("llama"). Throws Error, with the key as its place, if there is
// none, if it is of another kind or cuts texts in a way that is not known here, or if it is malformed;
// Stopped.
Tokenizer gguf_tokenizer(const GgufMetadata& metadata);

}  // namespace headlight
