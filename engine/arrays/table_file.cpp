#include "engine/arrays/table_file.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include "engine/core/error.h"
#include "engine/core/file.h"
#include "engine/core/nearest.h"
#include "engine/core/number_text.h"

namespace headlight {
namespace {

constexpr std::uint64_t kLargestFile = std::uint64_t{512} << 20;
constexpr std::size_t kMostColumns = 1'000'000;
constexpr const char* kRows = "write one line of numbers for each row: 0.43, -2, 1e-3";

struct Field {
  std::string_view text;  // between the quotation marks if there are some, their doubles still doubled
  bool quoted = false;
};

std::string label_of(const Field& field) {
  std::string label(field.text);
  if (!field.quoted) return label;
  for (std::size_t at = label.find("\"\""); at != std::string::npos; at = label.find("\"\"", at + 1))
    label.erase(at, 1);
  return label;
}

// Or meant as one: then it must not pass for a name.
bool is_number(const Field& field) {
  if (meant_as_decimal_comma(trimmed(field.text))) return true;
  try {
    number_in(trimmed(field.text));
    return true;
  } catch (const Error&) {
    return false;
  }
}

bool is_empty(const Field& field) {
  return !field.quoted && trimmed(field.text).empty();
}

// Cuts a text into lines and those into fields.
class LineReader {
 public:
  LineReader(std::string_view text, const std::string& where) : rest_(text), where_(where) {
    separator_ = find_separator();
  }

  // The next line that is not empty; false behind the last one.
  bool next() {
    while (!rest_.empty()) {
      line_ += lines_in_record_;
      lines_in_record_ = 0;
      read_fields();
      if (fields_.size() > 1 || !is_empty(fields_.front())) return true;
    }
    return false;
  }
  const std::vector<Field>& fields() const { return fields_; }
  std::string place() const { return where_ + ", line " + std::to_string(line_); }

 private:
  char find_separator() const {
    // Empty lines may stand in front.
    std::string outside;  // the first line without what is in quotation marks
    bool quoted = false;
    for (const char letter : rest_.substr(std::min(rest_.find_first_not_of("\r\n"), rest_.size()))) {
      if (letter == '"') quoted = !quoted;
      if (letter == '\n' && !quoted) break;
      if (!quoted) outside += letter;
    }
    for (const char separator : {'\t', ';', ','})
      if (outside.find(separator) != std::string::npos) return separator;
    return ' ';
  }

  void read_fields() {
    fields_.clear();
    bool more = true;
    while (more) {
      if (fields_.size() == kMostColumns)
        throw Error("the line has more than a million fields", place(), "check what separates them");
      if (separator_ == ' ') skip_blanks();
      fields_.push_back(opens_quotation() ? quoted_field() : plain_field());
      if (separator_ == ' ') skip_blanks();
      more = !rest_.empty() && rest_.front() == separator_;
      if (separator_ == ' ') more = !rest_.empty() && rest_.front() != '\n' && rest_.front() != '\r';
      if (more && separator_ != ' ') rest_.remove_prefix(1);
    }
    end_line();
    // Many programs end every line with a separator.
    if (separator_ != '\t' && fields_.size() > 1 && is_empty(fields_.back())) fields_.pop_back();
  }

  void end_line() {
    if (rest_.starts_with('\r')) rest_.remove_prefix(1);
    if (rest_.starts_with('\n')) rest_.remove_prefix(1);
    ++lines_in_record_;
  }

  void skip_blanks() { rest_.remove_prefix(std::min(rest_.find_first_not_of(' '), rest_.size())); }

  bool opens_quotation() const {
    const std::size_t at = rest_.find_first_not_of(' ');
    return at != std::string_view::npos && rest_[at] == '"';
  }

  Field quoted_field() {
    skip_blanks();
    std::size_t end = 1;
    for (;; end += 2) {
      end = rest_.find('"', end);
      if (end == std::string_view::npos)
        throw Error("a quotation mark is not closed", place() + column(), "close it, or remove it");
      if (end + 1 >= rest_.size() || rest_[end + 1] != '"') break;
    }
    const Field field{rest_.substr(1, end - 1), true};
    lines_in_record_ += static_cast<std::size_t>(std::count(field.text.begin(), field.text.end(), '\n'));
    rest_.remove_prefix(end + 1);
    skip_blanks();
    if (!rest_.empty() && rest_.front() != separator_ && rest_.front() != '\n' && rest_.front() != '\r' &&
        separator_ != ' ')
      throw Error("text follows a closing quotation mark", place() + column(),
                  "a quotation mark inside a field is written twice");
    return field;
  }

  Field plain_field() {
    // One look at each letter: to look for the line's end in every field takes minutes where lines are long.
    const char ends[] = {separator_, '\n'};
    const Field field{rest_.substr(0, rest_.find_first_of(std::string_view(ends, 2))), false};
    rest_.remove_prefix(field.text.size());
    // A line may end as on Windows.
    if (rest_.starts_with('\n') && field.text.ends_with('\r'))
      return {field.text.substr(0, field.text.size() - 1), false};
    return field;
  }

  std::string column() const { return ", column " + std::to_string(fields_.size() + 1); }

  std::string_view rest_;
  const std::string& where_;
  char separator_ = ',';
  std::vector<Field> fields_;
  std::size_t line_ = 1, lines_in_record_ = 0;
};

// Puts the lines together.
class TableBuilder {
 public:
  // Whether a line in front of all others names the columns.
  static bool names_columns(const std::vector<Field>& fields) {
    return is_empty(fields.front()) || std::none_of(fields.begin(), fields.end(), is_number);
  }

  void take_names(const std::vector<Field>& fields) {
    if (is_empty(fields.front())) has_row_labels_ = true;
    names_ = std::vector<std::string>();
    for (const Field& field : fields)
      names_->push_back(field.quoted ? label_of(field) : std::string(trimmed(field.text)));
  }

  void take_row(const std::vector<Field>& fields, const std::string& place) {
    if (!has_row_labels_) has_row_labels_ = !is_empty(fields.front()) && !is_number(fields.front());
    const std::size_t labels = *has_row_labels_ ? 1 : 0;
    if (fields.size() == labels)
      throw Error(in_quotes(label_of(fields.front())) + " has no numbers", place, kRows);
    if (rows_ == 0) width_ = fields.size();
    if (names_ && names_->size() != width_)
      throw Error("this line has " + counted(width_) + ", the line of names has " + counted(names_->size()),
                  place, "give every column a name; the column of row names may have an empty one");
    if (fields.size() != width_)
      throw Error("this line has " + counted(fields.size()) + ", the first has " + counted(width_), place,
                  "all rows must be of one length");
    if (labels == 1) table_.row_labels.push_back(label_of(fields.front()));
    for (std::size_t i = labels; i < fields.size(); ++i)
      add(fields[i], i, place);
    ++rows_;
  }

  TableFile finish(const std::string& where) {
    if (rows_ == 0)
      throw Error(names_ ? "the table has names but no numbers" : "the table is empty", where, kRows);
    const std::size_t labels = *has_row_labels_ ? 1 : 0;
    if (names_) table_.column_labels.assign(names_->begin() + static_cast<Index>(labels), names_->end());
    table_.values = Eigen::Map<const Matrix>(values_.data(), static_cast<Index>(rows_),
                                             static_cast<Index>(width_ - labels));
    return std::move(table_);
  }

 private:
  static std::string counted(std::size_t fields) {
    return std::to_string(fields) + (fields == 1 ? " field" : " fields");
  }

  void add(const Field& field, std::size_t column, const std::string& place) {
    if (values_.size() == kMostNumbers)
      throw Error("the table is too large", place, "at most 16 million numbers: save it as .npy");
    try {
      values_.push_back(number_in(trimmed(field.text)));
    } catch (const Error& error) {
      throw error.inside(place + ", column " + std::to_string(column + 1));
    }
  }

  TableFile table_;
  std::optional<std::vector<std::string>> names_;
  std::optional<bool> has_row_labels_;
  std::vector<float> values_;
  std::size_t rows_ = 0, width_ = 0;
};

}  // namespace

TableFile parse_table_file(const std::string& text, const std::string& where) {
  std::string_view rest = text;
  if (rest.starts_with("\xFF\xFE") || rest.starts_with("\xFE\xFF") ||
      rest.find('\0') != std::string_view::npos)
    throw Error("this is UTF-16 or no text at all", where, "save it as UTF-8: \"CSV UTF-8\" in spreadsheets");
  if (rest.starts_with("\xEF\xBB\xBF")) rest.remove_prefix(3);
  LineReader lines(rest, where);
  TableBuilder table;
  for (bool first = true; lines.next(); first = false) {
    if (first && TableBuilder::names_columns(lines.fields()))
      table.take_names(lines.fields());
    else
      table.take_row(lines.fields(), lines.place());
  }
  return table.finish(where);
}

TableFile read_table_file(const std::filesystem::path& path) {
  require_file(path, kLargestFile);
  return parse_table_file(read_file(path), path.string());
}

ArrayEntry list_table(const std::filesystem::path& path) {
  ArrayEntry entry;
  entry.name = path.stem().string();
  entry.type = "text";
  entry.bytes = require_file(path, kLargestFile);
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
