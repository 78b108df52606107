// Token vectors from a text file.
#pragma once

#include <filesystem>

#include "engine/layer/tokenize.h"

namespace headlight {

// One line per token: the token, then its numbers, separated by tabs, by commas or by blanks (as GloVe writes
// them). Quotation marks around the token are removed; empty lines are skipped, and so is a first line that
// holds no number, begins with an empty field, or is "token" and counts the columns. Of a token that occurs
// twice the first vector counts. Throws `Error` with the line number for another width, and for a field that
// is not a number.
TokenTable parse_token_table(const std::string& text, const std::string& where);
TokenTable read_token_table(const std::filesystem::path& path);

}  // namespace headlight
