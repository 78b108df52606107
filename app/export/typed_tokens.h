// Tokens as a user lists them.
#pragma once

#include <string>

#include "engine/analysis/analysis.h"

namespace headlight {

// Words of the vocabulary or ids as #42 with commas between them, " Mary, John,#42"; or the name of a file
// that has one a line. A word that begins with a blank is typed with it. Throws Error for a word that is no
// token, or several; and for a file as read_text_file.
TokenIds typed_tokens(const Network& network, const std::string& typed);
// "#5,#42", which typed_tokens() reads.
std::string tokens_text(const TokenIds& ids);

}  // namespace headlight
