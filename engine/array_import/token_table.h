// Known token vectors from a text file.
#pragma once

#include <filesystem>

#include "engine/model/tokenize.h"

namespace headlight {

// One line per token: the token, then its numbers, separated by tabs, by commas or by blanks (as GloVe writes
// them). Quotation marks about the token are taken off; empty lines are skipped, and so is a first line that
// holds no number, begins with an empty field, or is "token" and counts the columns. A token that stands
// there twice keeps its first vector. Throws Error with the number of the line that is wrong: a width that
// differs, a number that is none.
TokenTable parse_token_table(const std::string& text, const std::string& where);
TokenTable read_token_table(const std::filesystem::path& path);

}  // namespace headlight
