// Recognizes a first line that names the columns of a text table.
#pragma once

#include <vector>

#include "engine/arrays/delimited_text.h"

namespace headlight {

// Whether this heading of the first column announces names below it: it is empty, or "token", "word", "name",
// "label" (or the plural of one of them) or "query", as saved stages have it.
bool is_label_heading(const DelimitedField& field);

// Whether the line names the columns by counting them, as pandas and the export of stages do: a heading of
// names, then 0, 1, 2 or 1, 2, 3.
bool counts_columns(const std::vector<DelimitedField>& line);

}  // namespace headlight
