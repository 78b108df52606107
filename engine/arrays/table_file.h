// A matrix in a text file (.csv, .tsv), with or without names for its rows and columns.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "engine/arrays/array.h"
#include "engine/core/matrix.h"

namespace headlight {

struct TableFile {
  Matrix values;
  std::vector<std::string> row_labels;     // none, or one for each row
  std::vector<std::string> column_labels;  // none, or one for each column
};

// UTF-8 with one line for each row, as spreadsheets, pandas and numpy.savetxt write it.
// Separator: the first of tab, semicolon, comma, blank that the first line has. Quotation marks go round a
// field that holds a separator, a line feed or (doubled) quotation marks. Several blanks separate like one.
// Column labels: the first line, when none of its fields is a number, or its first field is empty.
// Row labels: the first column, when its first field below the column labels is no number, or when the first
// line begins with an empty field. They are kept as they stand, with the blank in front that tokens may have.
// Numbers: as number_in has it, so NaN and infinity too. A separator at a line's end is ignored.
// Throws Error with the file, the line and the column (both from 1) of rows of unequal length, of an empty
// field, of what is no number, of a quotation mark that is not closed; for an empty file, for UTF-16.
TableFile parse_table_file(const std::string& text, const std::string& where);
TableFile read_table_file(const std::filesystem::path& path);

// The table as the one array in its file. Throws as read_table_file does where the file cannot be read; what
// is wrong inside is in the entry.
ArrayEntry list_table(const std::filesystem::path& path);

}  // namespace headlight
