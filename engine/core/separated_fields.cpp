#include "engine/core/separated_fields.h"

#include "engine/core/sheet_label.h"

namespace headlight {

std::string csv_field(const std::string& label) {
  std::string text = sheet_label(label);
  // Quotes separators of other formats as well: readers determine the separator from the first line.
  const bool plain = text.find_first_of(",;\t\"\r\n") == std::string::npos &&
                     (text.empty() || (text.front() != ' ' && text.back() != ' '));
  if (plain) return text;
  std::string quoted = "\"";
  for (const char c : text)
    quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + '"';
}

std::string tsv_field(const std::string& label) {
  std::string escaped;
  for (const char c : sheet_label(label))
    escaped += c == '\t' ? "\\t" : c == '\n' ? "\\n" : c == '\r' ? "\\r" : std::string(1, c);
  return escaped;
}

}  // namespace headlight
