// The first line of a table of text, where it names the columns.
#pragma once

#include <vector>

#include "engine/arrays/delimited_text.h"

namespace headlight {

// Whether this field above the first column says that names stand below it: it is empty, or "token", "word",
// "name", "label" (or several of them) or "query", as stages are saved.
bool says_names(const DelimitedField& field);

// Whether the line names the columns by counting them, as pandas and the export of stages do: a field that
// says names, then 0, 1, 2 or 1, 2, 3.
bool counts_columns(const std::vector<DelimitedField>& line);

}  // namespace headlight
