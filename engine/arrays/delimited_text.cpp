#include "engine/arrays/delimited_text.h"

#include <algorithm>

#include "engine/core/ascii.h"
#include "engine/core/error.h"
#include "engine/core/number_text.h"
#include "engine/core/stopping.h"

namespace headlight {
namespace {

constexpr std::size_t kMostColumns = 1'000'000;

}  // namespace

std::string field_text(const DelimitedField& field) {
  if (!field.quoted) return std::string(field.text);
  std::string text;
  for (std::size_t i = 0; i < field.text.size(); ++i) {
    text += field.text[i];
    if (field.text.substr(i).starts_with("\"\"")) ++i;
  }
  return text;
}

bool is_empty(const DelimitedField& field) {
  return !field.quoted && trimmed(field.text).empty();
}

std::string_view utf8_content(std::string_view text, const std::string& where) {
  if (text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF") ||
      text.find('\0') != std::string_view::npos)
    throw Error("this is UTF-16 or no text at all", where, "save it as UTF-8: \"CSV UTF-8\" in spreadsheets");
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  return text;
}

DelimitedText::DelimitedText(std::string_view text, const std::string& where, DelimitedRules rules)
    : rest_(utf8_content(text, where)), where_(where), rules_(rules) {
  if (!take_stated_separator()) separator_ = find_separator();
}

bool DelimitedText::take_stated_separator() {
  constexpr std::string_view kStated = "sep=";
  const std::string_view line = rest_.substr(0, rest_.find('\n'));
  const std::string_view stated = line.substr(0, line.size() - (line.ends_with('\r') ? 1 : 0));
  if (line.size() == rest_.size() || stated.size() != kStated.size() + 1) return false;
  if (lowered(stated.substr(0, kStated.size())) != kStated) return false;
  separator_ = stated.back();
  rest_.remove_prefix(line.size() + 1);
  ++line_;
  return true;
}

bool DelimitedText::next() {
  line_ += lines_in_record_;
  lines_in_record_ = 0;
  fields_.clear();
  if (rest_.empty()) return false;
  read_fields();
  return true;
}

bool DelimitedText::blank() const {
  return std::all_of(fields_.begin(), fields_.end(), is_empty);
}

std::string DelimitedText::place() const {
  const std::string line = "line " + std::to_string(line_);
  return where_.empty() ? line : where_ + ", " + line;
}

char DelimitedText::find_separator() const {
  // Empty lines at the beginning are skipped.
  std::string outside;  // the first line without its quoted parts
  bool quoted = false;
  for (const char letter : rest_.substr(std::min(rest_.find_first_not_of("\r\n "), rest_.size()))) {
    if (letter == '"' && rules_.quotes_span_lines) quoted = !quoted;
    if (letter == '\n' && !quoted) break;
    if (!quoted) outside += letter;
  }
  for (const char separator : rules_.separators)
    if (outside.find(separator) != std::string::npos) return separator;
  return ' ';
}

void DelimitedText::read_fields() {
  do {
    throw_if_stopped();
    if (fields_.size() == kMostColumns)
      throw Error("the line has more than a million fields", place(), "check what separates them");
    add_field();
  } while (take_separator());
  end_line();
  // Many programs end every line with a separator.
  if (separator_ != '\t' && fields_.size() > 1 && is_empty(fields_.back())) fields_.pop_back();
}

void DelimitedText::add_field() {
  const bool leads = rules_.allow_separator_field && separator_ != ' ' && fields_.empty();
  if (leads && rest_.size() > 1 && rest_[0] == separator_ && rest_[1] == separator_) {
    fields_.push_back({rest_.substr(0, 1), false});
    rest_.remove_prefix(1);
    return;
  }
  if (separator_ == ' ') skip_blanks();
  const std::size_t closing = opens_quotation() ? closing_mark() : std::string_view::npos;
  fields_.push_back(closing == std::string_view::npos ? plain_field() : quoted_field(closing));
  if (separator_ == ' ') skip_blanks();
}

// Whether another field follows on the line; consumes the separator before it.
bool DelimitedText::take_separator() {
  if (rest_.empty()) return false;
  if (separator_ == ' ') return rest_.front() != '\n' && rest_.front() != '\r';
  if (rest_.front() != separator_) return false;
  rest_.remove_prefix(1);
  return true;
}

void DelimitedText::end_line() {
  if (rest_.starts_with('\r')) rest_.remove_prefix(1);
  if (rest_.starts_with('\n')) rest_.remove_prefix(1);
  ++lines_in_record_;
}

void DelimitedText::skip_blanks() {
  rest_.remove_prefix(std::min(rest_.find_first_not_of(' '), rest_.size()));
}

bool DelimitedText::opens_quotation() const {
  const std::size_t at = rest_.find_first_not_of(' ');
  return at != std::string_view::npos && rest_[at] == '"';
}

// The position of the field's closing quotation mark; npos if it is not a quoted field after all.
std::size_t DelimitedText::closing_mark() const {
  const std::size_t opening = rest_.find('"');
  const std::string_view stops = rules_.quotes_span_lines ? "\"" : "\"\n";
  std::size_t at = rest_.find_first_of(stops, opening + 1);
  while (rest_.substr(std::min(at, rest_.size())).starts_with("\"\""))
    at = rest_.find_first_of(stops, at + 2);
  if (at == std::string_view::npos || rest_[at] == '\n') {
    if (rules_.quotes_span_lines)
      throw Error("a quotation mark is not closed", place() + column(), "close it, or remove it");
    return std::string_view::npos;
  }
  if (rules_.quotes_span_lines) return at;
  return at > opening + 1 && ends_field(at + 1) ? at : std::string_view::npos;
}

// Whether only blanks lie between `at` and the field's end.
bool DelimitedText::ends_field(std::size_t at) const {
  const std::string_view behind = rest_.substr(at);
  if (separator_ == ' ' && behind.starts_with(' ')) return true;
  const std::size_t next = behind.find_first_not_of(' ');
  if (next == std::string_view::npos) return true;
  return behind[next] == separator_ || behind[next] == '\n' || behind[next] == '\r';
}

DelimitedField DelimitedText::quoted_field(std::size_t closing) {
  const std::size_t begin = rest_.find('"') + 1;
  const DelimitedField field{rest_.substr(begin, closing - begin), true};
  lines_in_record_ += static_cast<std::size_t>(std::count(field.text.begin(), field.text.end(), '\n'));
  rest_.remove_prefix(closing + 1);
  if (separator_ != ' ' && !ends_field(0))
    throw Error("text follows a closing quotation mark", place() + column(),
                "a quotation mark inside a field is written twice");
  skip_blanks();
  return field;
}

DelimitedField DelimitedText::plain_field() {
  // One search for both ends, so that each character is examined once.
  const char ends[] = {separator_, '\n'};
  const DelimitedField field{rest_.substr(0, rest_.find_first_of(std::string_view(ends, 2))), false};
  rest_.remove_prefix(field.text.size());
  // The line may end with CRLF.
  if (rest_.starts_with('\n') && field.text.ends_with('\r'))
    return {field.text.substr(0, field.text.size() - 1), false};
  return field;
}

std::string DelimitedText::column() const {
  return ", column " + std::to_string(fields_.size() + 1);
}

}  // namespace headlight
