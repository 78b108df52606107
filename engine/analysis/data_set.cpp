#include "engine/analysis/data_set.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "engine/analysis/analysis.h"
#include "engine/core/digits.h"
#include "engine/core/error.h"
#include "engine/core/nearest.h"
#include "engine/unicode/unicode.h"

namespace headlight {
namespace {

using Cells = std::vector<std::string>;

const Cells kColumns = {"text", "from", "target", "against"};
constexpr const char* kColumnsHint =
    "the columns are text, from, target, against, and names of tokens that begin with @, as @END";

bool is_column(const std::string& cell) {
  return cell.starts_with('@') || std::find(kColumns.begin(), kColumns.end(), cell) != kColumns.end();
}

Cells cells_of(const std::string& line) {
  Cells cells(1);
  for (const char c : line)
    if (c == '\t')
      cells.emplace_back();
    else
      cells.back() += c;
  return cells;
}

// The lines without their ends; the end of the last one begins no other.
std::vector<Cells> lines_of(const std::string& content) {
  std::vector<Cells> lines;
  for (std::size_t begin = 0; begin < content.size();) {
    const std::size_t end = std::min(content.find('\n', begin), content.size());
    std::string line = content.substr(begin, end - begin);
    if (line.ends_with('\r')) line.pop_back();
    lines.push_back(cells_of(line));
    begin = end + 1;
  }
  return lines;
}

// A text has blanks, a name of a column has none.
bool is_header(const Cells& line) {
  if (line.size() > 2) return true;
  const bool blanks = std::any_of(
      line.begin(), line.end(), [](const std::string& cell) { return cell.find(' ') != std::string::npos; });
  return !blanks && std::any_of(line.begin(), line.end(), is_column);
}

void check_columns(const Cells& columns, const std::string& where) {
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const std::string& column = columns[i];
    if (!is_column(column))
      throw Error("there is no column " + in_quotes(column), where + ": header",
                  nearest_of(column, kColumns) + "; names of tokens begin with @, as @END");
    if (column == "@")
      throw Error("a column has no name behind its @", where + ": header", "name it, as @END");
    if (std::find(columns.begin(), columns.begin() + static_cast<std::ptrdiff_t>(i), column) !=
        columns.begin() + static_cast<std::ptrdiff_t>(i))
      throw Error("the column " + in_quotes(column) + " occurs twice", where + ": header",
                  "give each column a name of its own");
  }
  if (std::find(columns.begin(), columns.end(), "text") == columns.end())
    throw Error("there is no column text", where + ": header", kColumnsHint);
}

std::string without_blanks(const std::string& text) {
  const std::size_t begin = text.find_first_not_of(' ');
  if (begin == std::string::npos) return "";
  return text.substr(begin, text.find_last_not_of(' ') + 1 - begin);
}

TokenIds parse_ids(const Network& network, const std::string& cell) {
  TokenIds ids;
  for (const char *at = cell.data(), *end = cell.data() + cell.size();; ++at) {
    std::int32_t id = 0;
    const auto [next, failed] = std::from_chars(at, end, id);
    if (failed != std::errc() || (next != end && *next != ','))
      throw Error(in_quotes(cell) + " is no list of ids", "",
                  "the model has no tokenizer: give ids with commas between them, as 1,5,9");
    ids.push_back(id);
    if (next == end) break;
    at = next;
  }
  network.require_ids(ids);
  return ids;
}

TokenIds parse_text(const Network& network, const std::string& cell) {
  return network.tokenizer() ? network.encode(cell) : parse_ids(network, cell);
}

std::int32_t parse_token(const Network& network, const std::string& cell) {
  const TypedTarget typed = typed_target(network, cell);
  if (!typed.said.empty())
    throw Error(in_quotes(cell) + " is several tokens", "",
                "give one token, or the id of one, as #" + std::to_string(typed.id));
  return typed.id;
}

// #4 or #-1. Throws Error if it is no number; none: the text has no such token.
std::optional<Index> numbered_token(const std::string& cell, const TokenIds& ids) {
  Index number = 0;
  const char* const end = cell.data() + cell.size();
  const auto [next, failed] = std::from_chars(cell.data() + 1, end, number);
  if (failed != std::errc() || next != end)
    throw Error(in_quotes(cell) + " is no number of a token", "", "give one as #4, or #-1 for the last one");
  const auto count = static_cast<Index>(ids.size());
  if (number < 0) number += count;
  if (number < 0 || number >= count) return std::nullopt;
  return number;
}

// The last tokens of all places where these words stand.
std::vector<Index> tokens_of_words(const Network& network, const std::string& cell, const TokenIds& ids) {
  const std::string words = without_blanks(cell);
  std::vector<Index> found;
  for (std::size_t begin = 0; begin < ids.size(); ++begin) {
    if (without_blanks(network.label(ids[begin])) == words) {
      found.push_back(static_cast<Index>(begin));
      continue;
    }
    if (!network.tokenizer()) continue;
    TokenIds span;
    for (std::size_t end = begin; end < ids.size(); ++end) {
      span.push_back(ids[end]);
      const std::string text = without_blanks(network.decode(span));
      if (text == words) found.push_back(static_cast<Index>(end));
      if (text == words || text.size() > words.size()) break;
    }
  }
  // A token of blanks alone before the words begins a second span that ends where theirs does.
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

std::string counted_tokens(const TokenIds& ids) {
  return counted(static_cast<std::int64_t>(ids.size()), "token", "tokens");
}

Index named_token(const Network& network, const std::string& cell, const DataRow& row,
                  const std::string& text) {
  const std::string in_text = " in " + in_quotes(text);
  if (cell.starts_with('#')) {
    if (const std::optional<Index> token = numbered_token(cell, row.text)) return *token;
    throw Error("there is no token " + cell + in_text, "",
                "the text has " + counted_tokens(row.text) + ", which count from #0; #-1 is the last one");
  }
  const std::vector<Index> found = tokens_of_words(network, cell, row.text);
  if (found.empty())
    throw Error("there is no token " + in_quotes(cell) + in_text, "",
                "give words of the text, or a number such as #4, or #-1 for the last token");
  if (found.size() == 1) return found.front();
  std::string places;
  for (std::size_t i = 0; i < found.size(); ++i)
    places += (i == 0 ? "" : i + 1 == found.size() ? " or " : ", ") + ("#" + std::to_string(found[i]));
  throw Error(in_quotes(cell) + " occurs " + std::to_string(found.size()) + " times" + in_text, "",
              "say which one by its number: " + places);
}

std::optional<Index> token_in_from(const Network& network, const std::string& cell, Index here,
                                   const DataRow& row) {
  if (row.from.size() == row.text.size()) return here;
  if (cell.starts_with('#')) return numbered_token(cell, row.from);
  const std::vector<Index> found = tokens_of_words(network, cell, row.from);
  return found.size() == 1 ? std::optional(found.front()) : std::nullopt;
}

// Calls body() and names the row and the column in what it throws.
template <class Body>
void in_cell(const std::string& where, std::size_t row, const std::string& column, Body body) {
  try {
    body();
  } catch (const Error& failure) {
    throw Error(failure.summary(), where + ": row " + std::to_string(row) + ", column " + column,
                failure.hint());
  }
}

DataRow parse_row(const Network& network, const DataSet& set, Cells cells, std::size_t number) {
  DataRow row;
  row.cells = std::move(cells);
  const auto each_cell = [&](auto take) {
    for (std::size_t i = 0; i < set.columns.size(); ++i)
      in_cell(set.file, number, set.columns[i], [&] { take(set.columns[i], row.cells[i]); });
  };
  each_cell([&](const std::string& column, const std::string& cell) {
    if (without_blanks(cell).empty())
      throw Error("the cell is empty", "", "fill it, or leave the column out of all rows");
    if (column == "text") row.text = parse_text(network, cell);
    if (column == "from") row.from = parse_text(network, cell);
    if (column == "target") row.target = parse_token(network, cell);
    if (column == "against") row.against = parse_token(network, cell);
  });
  each_cell([&](const std::string& column, const std::string& cell) {
    if (!column.starts_with('@')) return;
    row.tokens.push_back(named_token(network, cell, row, set.cell(row, "text")));
    row.from_tokens.push_back(token_in_from(network, cell, row.tokens.back(), row));
  });
  if (row.target && row.target == row.against)
    throw Error("the target is also the token against it", set.file + ": row " + std::to_string(number),
                "give another one in one of the columns target and against");
  return row;
}

}  // namespace

bool DataSet::has(std::string_view column) const {
  return std::find(columns.begin(), columns.end(), column) != columns.end();
}

std::string DataSet::cell(const DataRow& row, std::string_view column) const {
  const auto found = std::find(columns.begin(), columns.end(), column);
  return found == columns.end() ? "" : row.cells[static_cast<std::size_t>(found - columns.begin())];
}

bool DataSet::differs_in_length() const {
  return std::any_of(rows.begin(), rows.end(),
                     [](const DataRow& row) { return row.text.size() != row.from.size(); });
}

std::vector<TokenIds> DataSet::texts() const {
  std::vector<TokenIds> all;
  for (const DataRow& row : rows)
    all.push_back(row.text);
  return all;
}

std::vector<TokenIds> DataSet::froms() const {
  std::vector<TokenIds> all;
  for (const DataRow& row : rows)
    all.push_back(row.from);
  return all;
}

DataSet parse_data_set(const Network& network, const std::string& content, const std::string& where) {
  if (const std::size_t bad = first_bad_byte(content); bad != std::string::npos)
    throw Error("it is not UTF-8: byte " + std::to_string(bad) + " belongs to no character", where,
                "save it as UTF-8");
  std::vector<Cells> lines = lines_of(content);
  if (lines.empty()) throw Error("it is empty", where, kColumnsHint);
  DataSet set;
  set.file = where;
  const bool header = is_header(lines.front());
  set.columns = header ? lines.front() : Cells(kColumns.begin(), kColumns.begin() + 1);
  if (!header && lines.front().size() == 2) set.columns.emplace_back("target");
  check_columns(set.columns, where);
  for (const std::string& column : set.columns)
    if (column.starts_with('@')) set.names.push_back(column);
  for (std::size_t line = header ? 1 : 0; line < lines.size(); ++line) {
    const std::size_t number = set.rows.size() + 1;
    if (lines[line].size() != set.columns.size())
      throw Error("it has " + counted(static_cast<std::int64_t>(lines[line].size()), "cell", "cells") +
                      ", and there are " + std::to_string(set.columns.size()) + " columns",
                  where + ": row " + std::to_string(number),
                  "give each row a cell for each column, with tabs between them, and no empty rows");
    set.rows.push_back(parse_row(network, set, std::move(lines[line]), number));
  }
  if (set.rows.empty())
    throw Error("there is a header, and no row below it", where, "give a row for each text");
  return set;
}

}  // namespace headlight
