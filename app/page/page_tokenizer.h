// Which tokenizers a page computes (assets/page/tokenizer.js).
#pragma once

#include <string>

#include "engine/json/json_document.h"

namespace headlight {

// Why a page does not compute the tokenizer of this tokenizer.json, as "its tokenizer has a normalizer, NFC,
// which a page does not compute"; "" if it does. An expression that only the browser refuses is not found
// here: the page then stands still by itself. Precondition: Tokenizer::read() accepts the document.
std::string why_no_page_tokenizer(const Json& document);

}  // namespace headlight
