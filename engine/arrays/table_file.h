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
  std::vector<std::string> row_labels;     // empty, or one per row
  std::vector<std::string> column_labels;  // empty, or one per column
};

// UTF-8 with one line per row, as spreadsheets, pandas and numpy.savetxt write it; fields are split as in
// delimited_text.h.
// Column labels: the first line, if its fields are words and none is meant as a number; or if its first field
// is empty; or if its first field is a heading of names (see table_head.h) and the others count the columns
// or include a word.
// Row labels: the first column, if its heading is one of names ("", "token", "word", "name", "label",
// "query"), or if none of its fields is meant as a number (see looks_like_number) and not all of them stand
// for missing ones. They are stored unchanged, with the leading blank that tokens may have, except for the
// apostrophe that keeps a spreadsheet from running a label (see sheet_label.h).
// Numbers: as number_in parses them, so NaN and infinity too. Throws `Error` with the file, the line and the
// column (both from 1) for rows of unequal length, an empty field, a field that is not a number, and a
// quotation mark that is not closed; also for an empty file and for UTF-16. If the first column holds a
// number and a word, the error concerns the word.
TableFile parse_table_file(const std::string& text, const std::string& where);
TableFile read_table_file(const std::filesystem::path& path);

// The table as the only array of its file. Throws as read_table_file does if the file cannot be read; errors
// in its content are stored in the entry.
ArrayEntry list_table(const std::filesystem::path& path);

}  // namespace headlight
