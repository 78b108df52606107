#include "engine/arrays/table_text.h"

#include <array>
#include <deque>
#include <optional>
#include <string_view>
#include <vector>

#include "engine/arrays/delimited_text.h"
#include "engine/arrays/table_head.h"
#include "engine/core/digits.h"
#include "engine/core/error.h"
#include "engine/core/nearest.h"
#include "engine/core/number_text.h"

namespace headlight {
namespace {

constexpr const char* kExample = "rows of numbers like 0.43, -2 or 1e-3";

// Numbers row by row. All rows must be as long as the first.
class Rows {
 public:
  void add(float value) {
    if (values_.size() == kMostNumbers)
      throw Error("the table is too large", "", "at most 16 million numbers");
    values_.push_back(value);
  }
  std::size_t in_row() const { return values_.size() - begin_; }
  // "row 3, column 2" of the next number.
  std::string place() const {
    return "row " + std::to_string(rows_ + 1) + ", column " + std::to_string(in_row() + 1);
  }
  void end_row(const std::string& where) {
    if (in_row() == 0) throw Error("a row is empty", where, kExample);
    if (rows_ == 0) columns_ = in_row();
    if (in_row() != columns_)
      throw Error(
          "this row has " + std::to_string(in_row()) + " numbers, the first has " + std::to_string(columns_),
          where, "all rows must be of one length");
    ++rows_;
    begin_ = values_.size();
  }
  bool empty() const { return rows_ == 0; }
  std::size_t count() const { return rows_; }
  Matrix matrix() const {
    return Eigen::Map<const Matrix>(values_.data(), static_cast<Index>(rows_), static_cast<Index>(columns_));
  }

 private:
  std::vector<float> values_;
  std::size_t rows_ = 0, columns_ = 0, begin_ = 0;
};

// Adds the next number of a row; its position is put together only for an error.
void add_number(Rows& rows, std::string_view text, const std::string& before_column) {
  try {
    rows.add(finite_number_in(text));
  } catch (const Error& error) {
    throw error.inside(before_column + std::to_string(rows.in_row() + 1));
  }
}

Error nothing_to_paste() {
  return Error("there is nothing to paste", "", "copy " + std::string(kExample));
}

Matrix parse_lines(std::string_view text) {
  const std::string nowhere;
  const NumberMarks marks = number_marks(text, nowhere, false);
  DelimitedText lines(text, nowhere);
  std::deque<std::string> kept;
  Rows rows;
  std::string empty_row;  // position of the first empty row below the first row, if any
  while (lines.next()) {
    const std::string place = lines.place();
    if (lines.blank()) {  // allowed around the table only
      if (!rows.empty() && empty_row.empty()) empty_row = place;
      continue;
    }
    if (!empty_row.empty()) throw Error("a row is empty", empty_row, kExample);
    const auto add_all = [&](const std::vector<DelimitedField>& fields) {
      for (const DelimitedField& field : fields)
        add_number(rows, trimmed(field.text), place + ", column ");
    };
    marks.any() ? add_all(plain_fields(lines.fields(), marks, false, kept)) : add_all(lines.fields());
    kept.clear();
    rows.end_row(place);
  }
  if (rows.empty()) throw nothing_to_paste();  // only separators
  return rows.matrix();
}

// Reads a print-out in brackets; the text begins after "array(" or "tensor(" if there was one.
class BracketReader {
 public:
  explicit BracketReader(std::string_view text) : text_(text) {}

  Matrix read() {
    skip_blanks();
    if (peek() != '[') return scalar();
    take();
    skip_blanks();
    if (peek() == '[') {
      read_rows();
    } else {
      read_numbers();
      rows_.end_row("row 1");
    }
    finish();
    return rows_.matrix();
  }

 private:
  // tensor(0.5)
  Matrix scalar() {
    add_number(rows_, word(), "row 1, column ");
    rows_.end_row("row 1");
    finish();
    return rows_.matrix();
  }

  void read_rows() {
    while (peek() == '[') {
      take();
      skip_blanks();
      if (peek() == '[')
        throw Error("the brackets are nested three deep", rows_.place(), "paste one matrix: rows of numbers");
      read_numbers();
      rows_.end_row("row " + std::to_string(rows_.count() + 1));
      skip_separator();
    }
    close();
  }

  void read_numbers() {
    const std::string before_column = "row " + std::to_string(rows_.count() + 1) + ", column ";
    while (peek() != ']' && peek() != '\0') {
      if (peek() == '[') throw Error("a bracket stands among numbers", rows_.place(), kExample);
      const std::string_view number = word();
      if (number.starts_with("...") || number.starts_with("\u2026"))
        throw Error(
            "the print-out leaves numbers out (...)", rows_.place(),
            "print all: np.set_printoptions(threshold=np.inf), torch.set_printoptions(profile=\"full\")");
      add_number(rows_, number, before_column);
      skip_separator();
    }
    close();
  }

  void close() {
    if (peek() == ']') return take();
    if (peek() == '\0') throw Error("a bracket is not closed", "the end", "copy the whole print-out");
    if (text_.substr(at_).starts_with("..."))
      throw Error(
          "the print-out leaves rows out (...)", rows_.place(),
          "print all: np.set_printoptions(threshold=np.inf), torch.set_printoptions(profile=\"full\")");
    throw Error(in_quotes(word()) + " stands between the rows", rows_.place(), kExample);
  }

  // Accepts at the end nothing or what print-outs add: ", dtype=float32, grad_fn=<MmBackward0>)".
  void finish() {
    const std::string_view rest = trimmed(text_.substr(at_));
    if (rest.empty() || rest == ")" || (rest.starts_with(',') && rest.ends_with(')'))) return;
    throw Error(in_quotes(rest) + " stands behind the table", "the end", "copy one table alone");
  }

  // Up to the next blank, comma or bracket.
  std::string_view word() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && std::string_view(" \t\r\n,[]()").find(text_[at_]) == std::string_view::npos)
      ++at_;
    if (at_ == begin && at_ < text_.size()) ++at_;
    return text_.substr(begin, at_ - begin);
  }

  void skip_blanks() {
    while (at_ < text_.size() && kBlanks.find(text_[at_]) != std::string_view::npos)
      ++at_;
  }
  // Skips the blanks between two numbers or rows, with at most one comma among them.
  void skip_separator() {
    skip_blanks();
    if (peek() != ',') return;
    take();
    skip_blanks();
  }

  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  void take() { ++at_; }

  std::string_view text_;
  std::size_t at_ = 0;
  Rows rows_;
};

// Removes what precedes the brackets: "array(", "np.array(", "Parameter containing:\ntensor(" and the like.
std::optional<std::string_view> in_brackets(std::string_view text) {
  constexpr std::array<std::string_view, 2> kHolders = {"Parameter containing:", "Parameter("};
  for (const std::string_view holder : kHolders)
    if (text.starts_with(holder)) text = trimmed(text.substr(holder.size()));
  if (text.starts_with('[')) return text;
  constexpr std::array<std::string_view, 7> kCalls = {"torch.tensor(", "tensor(", "numpy.array(", "np.array(",
                                                      "array(",        "matrix(", "np.float32("};
  for (const std::string_view call : kCalls)
    if (text.starts_with(call)) return text.substr(call.size());
  return std::nullopt;
}

std::string number_text(float value) {
  return shortest_digits(value);
}

std::string bracket_text(const MatrixRef& matrix, const std::string& before, const std::string& behind) {
  std::string text = before + "[";
  const std::string indent(before.size() + 1, ' ');
  for (Index row = 0; row < matrix.rows(); ++row) {
    text += row == 0 ? "[" : ",\n" + indent + "[";
    for (Index column = 0; column < matrix.cols(); ++column)
      text += (column == 0 ? "" : ", ") + number_text(matrix(row, column));
    text += "]";
  }
  return text + "]" + behind;
}

}  // namespace

Matrix parse_table_text(const std::string& text) {
  const std::string_view rest = utf8_content(text, "");
  if (trimmed(rest).empty()) throw nothing_to_paste();
  if (const auto brackets = in_brackets(trimmed(rest))) return BracketReader(*brackets).read();
  return parse_lines(rest);
}

std::string tsv_text(const MatrixRef& matrix) {
  std::string text;
  for (Index row = 0; row < matrix.rows(); ++row) {
    for (Index column = 0; column < matrix.cols(); ++column)
      text += (column == 0 ? "" : "\t") + number_text(matrix(row, column));
    text += '\n';
  }
  return text;
}

std::string numpy_text(const MatrixRef& matrix) {
  return bracket_text(matrix, "np.array(", ", dtype=np.float32)");
}

std::string torch_text(const MatrixRef& matrix) {
  return bracket_text(matrix, "torch.tensor(", ")");
}

}  // namespace headlight
