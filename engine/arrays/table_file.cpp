#include "engine/arrays/table_file.h"

#include <algorithm>
#include <deque>
#include <optional>
#include <string_view>

#include "engine/arrays/delimited_text.h"
#include "engine/arrays/table_head.h"
#include "engine/core/digits.h"
#include "engine/core/error.h"
#include "engine/core/file.h"
#include "engine/core/foreign_file.h"
#include "engine/core/nearest.h"
#include "engine/core/number_text.h"
#include "engine/core/sheet_label.h"

namespace headlight {
namespace {

constexpr std::uint64_t kLargestFile = std::uint64_t{512} << 20;
constexpr const char* kRows = "write one line of numbers for each row: 0.43, -2, 1e-3";

// What a field may be, judged by its text alone.
enum class Look {
  Number,
  Refused,  // meant as a number, but not readable as one
  Missing,  // stands for a missing number
  Word
};

Look look_of(const DelimitedField& field) {
  const std::string_view text = trimmed(field.text);
  if (!field.quoted && is_missing_marker(text)) return Look::Missing;
  if (!looks_like_number(text)) return Look::Word;
  try {
    number_in(text);
    return Look::Number;
  } catch (const Error&) {
    return Look::Refused;
  }
}

std::string name_in(const DelimitedField& field) {
  return label_of_sheet(field.quoted ? field_text(field) : std::string(trimmed(field.text)));
}

// Whether the first line of a file names the columns.
bool names_columns(const std::vector<DelimitedField>& fields) {
  if (is_empty(fields.front()) || counts_columns(fields)) return true;
  const auto is_value = [](const DelimitedField& field) {
    const Look look = look_of(field);
    return look == Look::Number || look == Look::Refused;
  };
  const auto is_word = [](const DelimitedField& field) { return look_of(field) == Look::Word; };
  // Tokens may be numbers among words.
  if (is_label_heading(fields.front()) && std::any_of(fields.begin() + 1, fields.end(), is_word)) return true;
  return std::none_of(fields.begin(), fields.end(), is_value) &&
         std::any_of(fields.begin(), fields.end(), is_word);
}

// The first column: names of the rows, or numbers like the others. This is known only after its last field,
// unless the line of column names has decided it.
class FirstColumn {
 public:
  void set_names() { said_ = true; }

  // Throws `Error` when the column holds numbers and this field, or an earlier one, is not a number.
  void add(const DelimitedField& field, const std::string& place) {
    fields_.push_back(field);
    if (said_) return;
    const Look look = look_of(field);
    if (look == Look::Refused) refuse(field, place);
    if (look == Look::Number) numbers_ = true;
    if (look == Look::Word) words_ = true;
    if (look != Look::Number && !other_) other_ = Place{fields_.size() - 1, place};
    if (numbers_ && other_) refuse(fields_[other_->row], other_->text);
  }

  // Whether the fields are names. Throws `Error` if undecided because all of them stand for missing numbers.
  bool has_names() const {
    if (!said_ && !words_ && other_) refuse(fields_[other_->row], other_->text);
    return said_ || words_;
  }
  const std::vector<DelimitedField>& fields() const { return fields_; }

 private:
  struct Place {
    std::size_t row;
    std::string text;
  };

  [[noreturn]] static void refuse(const DelimitedField& field, const std::string& place) {
    try {
      number_in(trimmed(field.text));
    } catch (const Error& error) {
      throw Error(error.summary(), place + ", column 1",
                  error.hint() + "; if the first column names the rows, write \"token\" above it");
    }
    throw Error(in_quotes(field.text) + " is a number among names", place + ", column 1",
                "write \"token\" above the first column if it names the rows");
  }

  std::vector<DelimitedField> fields_;
  std::optional<Place> other_;  // the first field that is not a number
  bool said_ = false, numbers_ = false, words_ = false;
};

// Builds the table line by line.
class TableBuilder {
 public:
  void take_names(const std::vector<DelimitedField>& fields) {
    if (is_label_heading(fields.front())) first_.set_names();
    for (const DelimitedField& field : fields)
      names_.push_back(name_in(field));
  }

  void take_row(const std::vector<DelimitedField>& fields, const std::string& place) {
    if (rows_ == 0) {
      width_ = fields.size();
      first_place_ = place;
    }
    if (!names_.empty() && names_.size() != width_)
      throw Error(
          "this line has " + fields_text(width_) + ", the line of names has " + fields_text(names_.size()),
          place, "give every column a name; the column of row names may have an empty one");
    if (fields.size() != width_)
      throw Error("this line has " + fields_text(fields.size()) + ", the first has " + fields_text(width_),
                  place, "all rows must be of one length");
    first_.add(fields.front(), place);
    for (std::size_t i = 1; i < fields.size(); ++i)
      add(fields[i], i, place);
    ++rows_;
    if (values_.size() + rows_ > kMostNumbers)
      throw Error("the table is too large", place, "at most 16 million numbers: save it as .npy");
  }

  TableFile finish(const std::string& where) {
    if (rows_ == 0)
      throw Error(names_.empty() ? "the table is empty" : "the table has names but no numbers", where, kRows);
    const Index rows = static_cast<Index>(rows_), others = static_cast<Index>(width_) - 1;
    const bool has_names = first_.has_names();
    if (has_names && others == 0)
      throw Error(in_quotes(field_text(first_.fields().front())) + " has no numbers", first_place_, kRows);
    const Index labels = has_names ? 1 : 0;
    if (!names_.empty()) table_.column_labels.assign(names_.begin() + labels, names_.end());
    table_.values.resize(rows, others + 1 - labels);
    table_.values.rightCols(others) = Eigen::Map<const Matrix>(values_.data(), rows, others);
    for (Index row = 0; row < rows; ++row) {
      const DelimitedField& field = first_.fields()[static_cast<std::size_t>(row)];
      if (has_names)
        table_.row_labels.push_back(label_of_sheet(field_text(field)));
      else
        table_.values(row, 0) = number_in(trimmed(field.text));
    }
    return std::move(table_);
  }

 private:
  static std::string fields_text(std::size_t count) {
    return counted(static_cast<Index>(count), "field", "fields");
  }

  void add(const DelimitedField& field, std::size_t column, const std::string& place) {
    try {
      values_.push_back(number_in(trimmed(field.text)));
    } catch (const Error& error) {
      throw error.inside(place + ", column " + std::to_string(column + 1));
    }
  }

  TableFile table_;
  std::vector<std::string> names_;
  FirstColumn first_;
  std::vector<float> values_;  // of all columns behind the first
  std::string first_place_;    // of the first row
  std::size_t rows_ = 0, width_ = 0;
};

}  // namespace

TableFile parse_table_file(const std::string& text, const std::string& where) {
  const NumberMarks marks = number_marks(text, where, true);
  DelimitedText lines(text, where);
  TableBuilder table;
  std::deque<std::string> kept;
  bool first = true, first_is_label = false;
  while (lines.next()) {
    if (lines.fields().size() == 1 && lines.blank()) continue;
    if (first) first_is_label = is_label_heading(lines.fields().front());
    std::vector<DelimitedField> plain;
    if (marks.any()) plain = plain_fields(lines.fields(), marks, first_is_label, kept);
    const std::vector<DelimitedField>& fields = marks.any() ? plain : lines.fields();
    if (first && names_columns(fields))
      table.take_names(lines.fields());
    else
      table.take_row(fields, lines.place());
    first = false;
  }
  return table.finish(where);
}

TableFile read_table_file(const std::filesystem::path& path) {
  require_file(path, kLargestFile);
  require_form(path, FileForm::Table);
  return parse_table_file(read_file(path), path.string());
}

ArrayEntry list_table(const std::filesystem::path& path) {
  ArrayEntry entry;
  entry.name = path.stem().string();
  entry.type = "text";
  entry.bytes = require_file(path, kLargestFile);
  require_form(path, FileForm::Table);
  const std::string text = read_file(path);
  try {
    TableFile table = parse_table_file(text, path.string());
    entry.shape = {table.values.rows(), table.values.cols()};
    entry.row_labels = std::move(table.row_labels);
    entry.column_labels = std::move(table.column_labels);
  } catch (const Error& error) {
    entry.problem = error;
  }
  return entry;
}

}  // namespace headlight
