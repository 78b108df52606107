#include "engine/programs/python_text.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "engine/core/digits.h"
#include "engine/core/visible_text.h"

namespace headlight {
namespace {

bool is_control(char letter) {
  return static_cast<unsigned char>(letter) < 0x20 || letter == 0x7f;
}

std::string escape(std::uint32_t letter) {
  char text[16];
  const char* const form = letter < 0x80 ? "\\x%02x" : letter < 0x10000 ? "\\u%04x" : "\\U%08x";
  std::snprintf(text, sizeof text, form, letter);
  return letter == '\n' ? "\\n" : text;
}

template <class Values, class ToText>
std::string listed(const Values& values, ToText to_text) {
  std::string text;
  for (const auto& value : values)
    text += (text.empty() ? "" : ", ") + to_text(value);
  return "[" + text + "]";
}

std::string row_text(const Matrix& matrix, Index row, const std::string& library) {
  std::string text;
  for (Index column = 0; column < matrix.cols(); ++column)
    text += (column > 0 ? ", " : "") + python_number(matrix(row, column), library);
  return "[" + text + "]";
}

}  // namespace

std::string python_number(Index value) {
  return std::to_string(value);
}

std::string python_number(double value) {
  return shortest_digits(value);
}

std::string python_number(float value, const std::string& library) {
  if (std::isinf(value)) return (value < 0 ? "-" : "") + library + ".inf";
  std::string text;
  append_float(text, value);
  return text;
}

std::string python_list(const std::vector<Index>& values) {
  return listed(values, [](Index value) { return python_number(value); });
}

std::string python_list(const std::vector<double>& values) {
  return listed(values, [](double value) { return python_number(value); });
}

std::string python_quoted(const std::string& text) {
  std::string marked;
  for (const char c : text)
    marked += c == '"' || c == '\\' ? std::string("\\") + c : std::string(1, c);
  return '"' + visible_text(marked, "", escape) + '"';
}

std::string python_quoted(const std::vector<std::string>& texts) {
  return listed(texts, [](const std::string& text) { return python_quoted(text); });
}

std::string python_comment(const std::string& title) {
  std::string line = title.substr(0, title.find('\n'));
  std::replace_if(line.begin(), line.end(), is_control, ' ');
  return "# " + visible_text(line);
}

std::string python_rows(const std::vector<const Matrix*>& matrices, const std::vector<Index>& leading,
                        std::size_t indent, const std::string& library) {
  const Index rows = matrices.front()->rows(), depth = static_cast<Index>(leading.size()) + 1;
  std::vector<Index> sizes = leading;
  sizes.push_back(rows);
  std::string text;
  for (Index at = 0; at < static_cast<Index>(matrices.size()) * rows; ++at) {
    // How many nested lists end before this row and begin again with it: those whose first element it is.
    Index fresh = 0, span = 1;
    while (fresh < depth && at % (span *= sizes[static_cast<std::size_t>(depth - 1 - fresh)]) == 0)
      ++fresh;
    const auto brackets = static_cast<std::size_t>(fresh), whole = static_cast<std::size_t>(depth);
    if (at > 0) text += std::string(brackets, ']') + ",\n" + std::string(indent + whole - brackets, ' ');
    text += std::string(brackets, '[') +
            row_text(*matrices[static_cast<std::size_t>(at / rows)], at % rows, library);
  }
  return text + std::string(static_cast<std::size_t>(depth), ']');
}

}  // namespace headlight
