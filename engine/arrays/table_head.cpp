#include "engine/arrays/table_head.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <string>
#include <string_view>

#include "engine/core/number_text.h"

namespace headlight {

bool is_label_heading(const DelimitedField& field) {
  if (is_empty(field)) return true;
  std::string word(trimmed(field.text));
  std::transform(word.begin(), word.end(), word.begin(),
                 [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
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

}  // namespace headlight
