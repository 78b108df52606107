// A data set: texts with the texts that they are compared with, their targets and named tokens, a row each.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/analysis/text_set.h"

namespace headlight {

struct DataRow {
  std::vector<std::string> cells;  // as typed, a cell for each column
  TokenIds text, from;             // from: A, beside the text, B; empty: no such column
  std::optional<std::int32_t> target, against;
  std::vector<Index> tokens;  // of DataSet::names, in the text
  // The same in `from`. Texts of one length: the same number. Else, of a name by its number, that number
  // there, and of one by its words, where these words stand in `from`; none: it has no such token.
  std::vector<std::optional<Index>> from_tokens;
};

struct DataSet {
  std::string file;                  // its name
  std::vector<std::string> columns;  // of the header; of a file without one "text", and "target"
  std::vector<std::string> names;    // the columns that name a token: "@S2"
  std::vector<DataRow> rows;         // at least one
  std::vector<Index> left_out = {};  // rows of the file that are not among them, from 0

  bool has(std::string_view column) const;
  // As typed; "" if there is no such column.
  std::string cell(const DataRow& row, std::string_view column) const;
  // Whether a text has another number of tokens than its `from`.
  bool differs_in_length() const;
  std::vector<TokenIds> texts() const;
  std::vector<TokenIds> froms() const;
};

// Reads the rows of a file, whose cells have tabs between them. Its first line is a header: text, and any of
// from, target, against and names that begin with @. Without a header (no cell of the first line is one of
// these words, and there are at most two cells) a line is a text, or a text and its target.
//
// Cells are taken as they are, blanks too; none is empty. text, from: as Network::encode; of a model without
// a tokenizer ids, as 1,5,9. target, against: typed_target(), of one token. @NAME: #4, the token number 4,
// from 0;
// #-1, the last one; or words of the text: those of one token, or of several that follow each other, of which
// it is the last; blanks at both ends do not count.
//
// where: the file's name. Throws Error that names the row, counted from 1, and the column: for a file that is
// not UTF-8, has no rows or another number of cells in one, for columns that are unknown or occur twice, a
// text that the model does not accept, a target of several tokens, a target that is the token against it, and
// a token that the text does not have or has more than once. Throws Stopped.
DataSet parse_data_set(const Network& network, const std::string& content, const std::string& where);

}  // namespace headlight
