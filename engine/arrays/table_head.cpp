#include "engine/arrays/table_head.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>

#include "engine/core/ascii.h"
#include "engine/core/number_text.h"

namespace headlight {

bool is_label_heading(const DelimitedField& field) {
  if (is_empty(field)) return true;
  const std::string word = lowered(trimmed(field.text));
  constexpr std::string_view kWords[] = {"token", "tokens", "word",   "words", "name",
                                         "names", "label",  "labels", "query"};
  return std::find(std::begin(kWords), std::end(kWords), word) != std::end(kWords);
}

bool counts_columns(const std::vector<DelimitedField>& line) {
  if (line.size() < 2 || !is_label_heading(line.front())) return false;
  for (const std::size_t from : {std::size_t{0}, std::size_t{1}}) {
    std::size_t i = 1;
    while (i < line.size() && trimmed(line[i].text) == std::to_string(from + i - 1))
      ++i;
    if (i == line.size()) return true;
  }
  return false;
}

NumberMarks number_marks(std::string_view text, const std::string& where, bool labels) {
  NumberMarks marks;
  DelimitedText lines(text, where);
  const bool by_comma = lines.separator() == ',';
  if (text.find(',') == std::string_view::npos || (by_comma && text.find('"') == std::string_view::npos))
    return marks;
  bool first_is_label = false, first = true;
  while (lines.next()) {
    const std::vector<DelimitedField>& fields = lines.fields();
    if (first) first_is_label = labels && is_label_heading(fields.front());
    first = false;
    const std::string before = lines.place() + ", column ";
    for (std::size_t i = first_is_label ? 1 : 0; i < fields.size(); ++i)
      marks.look_at(trimmed(fields[i].text), before + std::to_string(i + 1));
  }
  marks.decide();
  return marks;
}

std::vector<DelimitedField> plain_fields(const std::vector<DelimitedField>& fields, const NumberMarks& marks,
                                         bool first_is_label, std::deque<std::string>& kept) {
  std::vector<DelimitedField> plain = fields;
  for (std::size_t i = first_is_label ? 1 : 0; i < plain.size(); ++i) {
    const std::string_view text = trimmed(plain[i].text);
    std::string number = marks.plain(text);
    if (number == text) continue;
    kept.push_back(std::move(number));
    plain[i] = {kept.back(), false};
  }
  return plain;
}

}  // namespace headlight
