#include "engine/array_import/token_table.h"

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/arrays/delimited_text.h"
#include "engine/arrays/table_head.h"
#include "engine/core/error.h"
#include "engine/core/file.h"
#include "engine/core/foreign_file.h"
#include "engine/core/nearest.h"
#include "engine/core/number_text.h"
#include "engine/core/sheet_label.h"

namespace headlight {
namespace {

constexpr std::uint64_t kLargestTable = std::uint64_t{512} << 20;

// The numbers after the token, and the first field that is not a number.
struct Numbers {
  std::vector<float> values;
  std::optional<std::string> wrong;
};

Numbers numbers_behind_token(const std::vector<DelimitedField>& fields) {
  Numbers numbers;
  const std::size_t end = fields.size() - (is_empty(fields.back()) ? 1 : 0);  // a tab at the line's end
  for (std::size_t i = 1; i < end; ++i) {
    const std::string_view text = trimmed(fields[i].text);
    try {
      numbers.values.push_back(finite_number_in(text));
    } catch (const Error&) {
      if (!numbers.wrong) numbers.wrong = std::string(text);
    }
  }
  return numbers;
}

std::string token_in(const DelimitedField& field) {
  return label_of_sheet(field.quoted ? field_text(field) : std::string(trimmed(field.text)));
}

// Collects lines of tokens and numbers in a table.
class TokenLines {
 public:
  // Throws `Error` for a line of another width, or with a field that is not a number.
  void take(const std::vector<DelimitedField>& fields, const std::string& place) {
    const Numbers numbers = numbers_behind_token(fields);
    const bool first = !std::exchange(begun_, true);
    const bool names =
        is_empty(fields.front()) || counts_columns(fields) || (numbers.wrong && numbers.values.empty());
    if (first && names) return;
    const std::string token = token_in(fields.front());
    if (numbers.wrong)
      throw Error(in_quotes(*numbers.wrong) + " is no finite number", place, "a token and its numbers");
    const std::size_t count = numbers.values.size();
    if (count == 0) throw Error(in_quotes(token) + " has no numbers", place, "a token and its numbers");
    if (table_.tokens.empty()) width_ = count;
    if (count != width_)
      throw Error(
          in_quotes(token) + " has " + std::to_string(count) + " numbers, expected " + std::to_string(width_),
          place, "every token needs as many as the first");
    table_.tokens.push_back(token);
    values_.insert(values_.end(), numbers.values.begin(), numbers.values.end());
  }

  TokenTable finish(const std::string& where) {
    if (table_.tokens.empty())
      throw Error("the table is empty", where, "one line for each token: cat, 0.1, 0.2");
    table_.vectors = Eigen::Map<const Matrix>(values_.data(), static_cast<Index>(table_.tokens.size()),
                                              static_cast<Index>(width_));
    return std::move(table_);
  }

 private:
  TokenTable table_;
  std::vector<float> values_;
  std::size_t width_ = 0;
  bool begun_ = false;
};

}  // namespace

TokenTable parse_token_table(const std::string& text, const std::string& where) {
  DelimitedRules rules;
  rules.separators = "\t,";  // ; is a token
  rules.quotes_span_lines = false;
  rules.allow_separator_field = true;
  DelimitedText lines(text, where, rules);
  TokenLines tokens;
  while (lines.next())
    if (!lines.blank()) tokens.take(lines.fields(), lines.place());
  return tokens.finish(where);
}

TokenTable read_token_table(const std::filesystem::path& path) {
  require_file(path, kLargestTable);
  require_form(path, FileForm::Table);
  return parse_token_table(read_file(path), path.filename().string());
}

}  // namespace headlight
