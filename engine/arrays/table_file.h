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

// UTF-8 with one line for each row, as spreadsheets, pandas and numpy.savetxt write it, cut into fields as
// delimited_text.h has it.
// Column labels: the first line, when its fields are words and none is meant as a number, or when its first
// field is empty, or is "token" and the others count the columns, or says that names stand below it
// and one of the others is a word.
// Row labels: the first column, when what stands above it says so (nothing, or "token", "word", "name",
// "label", "query"), or when none of its fields is meant as a number (see meant_as_number) and not all of
// them stand for missing ones. They are kept as they stand, with the blank in front that tokens may have, but
// for the apostrophe that keeps a spreadsheet from running a label (see sheet_label.h). Numbers: as number_in
// has it, so NaN and infinity too. Throws Error with the file, the line and the column (both from 1) of rows
// of unequal length, of an empty field, of what is no number, of a quotation mark that is not closed; for an
// empty file, for UTF-16. Where the first column holds a number and a word, the word is what is wrong.
TableFile parse_table_file(const std::string& text, const std::string& where);
TableFile read_table_file(const std::filesystem::path& path);

// The table as the one array in its file. Throws as read_table_file does where the file cannot be read; what
// is wrong inside is in the entry.
ArrayEntry list_table(const std::filesystem::path& path);

}  // namespace headlight
