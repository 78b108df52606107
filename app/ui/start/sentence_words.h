// What the sentence's drawing and its figure have in common: words and names of heads.
#pragma once

#include <string>

#include "engine/analysis/text_reading.h"
#include "engine/core/counting.h"

namespace headlight {

// A token's label as a word of the sentence, without the mark of a WordPiece vocabulary for pieces.
std::string sentence_word(const std::string& label);
// Whether the tokenizer adds the token, or it is a blank: "<start>", "[CLS]".
bool is_quiet_word(const std::string& word);
// Whether the token is one of several pieces of a word.
bool is_in_pieces(const TextReading& reading, Index token);
// "layer 2, head 3", "layer 2, all heads".
std::string head_text(const TextHead& of, Counting counting);
// What is supposed, and what comes of it: "Supposed: layer 2, head 3 looks at “Tom” with 95 % instead of at
// “Ann”", "Next word: “Tom” 62 %"; the latter is empty for a model without predictions. Precondition:
// reading.supposed.
struct SupposedText {
  std::string looks, next;
};
SupposedText supposed_text(const TextReading& reading, Counting counting);

}  // namespace headlight
