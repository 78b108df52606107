// Recognizes a first line that names the columns of a text table.
#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "engine/arrays/delimited_text.h"
#include "engine/core/number_text.h"

namespace headlight {

// Whether this heading of the first column announces names below it: it is empty, or "token", "word", "name",
// "label" (or the plural of one of them) or "query", as saved stages have it.
bool is_label_heading(const DelimitedField& field);

// Whether the line names the columns by counting them, as pandas and the export of stages do: a heading of
// names, then 0, 1, 2 or 1, 2, 3.
bool counts_columns(const std::vector<DelimitedField>& line);

// The marks in the numbers of a table, which has a comma in some of them: between tabs or semicolons, or in
// quotation marks. `labels`: a first column below a heading of labels has names.
NumberMarks number_marks(std::string_view text, const std::string& where, bool labels);
// The fields of a line with their numbers as number_in reads them; `kept` holds the new texts.
std::vector<DelimitedField> plain_fields(const std::vector<DelimitedField>& fields, const NumberMarks& marks,
                                         bool first_is_label, std::deque<std::string>& kept);

}  // namespace headlight
