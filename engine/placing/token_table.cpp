#include "engine/placing/token_table.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <string_view>

#include "engine/core/error.h"
#include "engine/core/file.h"
#include "engine/core/nearest.h"

namespace headlight {
namespace {

constexpr std::uint64_t kLargestTable = std::uint64_t{512} << 20;

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r";
  const std::size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

std::optional<float> number_in(std::string_view text) {
  text = trimmed(text);
  if (text.starts_with('+')) text.remove_prefix(1);
  float value = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failed != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

// The token in front, and what follows it. A token in quotation marks may hold the separator.
struct Line {
  std::string token;
  std::string_view numbers;
};
Line split_line(std::string_view line, char separator) {
  if (line.starts_with('"')) {
    std::size_t at = 1;
    std::string token;
    for (; at < line.size(); ++at) {
      if (line[at] != '"') {
        token += line[at];
      } else if (at + 1 < line.size() && line[at + 1] == '"') {
        token += line[at++];  // a doubled mark is one
      } else {
        break;
      }
    }
    const std::size_t end = line.find(separator, std::min(at, line.size()));
    if (end != std::string_view::npos && !token.empty()) return {token, line.substr(end + 1)};
  }
  // The comma itself, as a token in a table that is separated by commas.
  const std::size_t end = line.find(separator, line.starts_with(separator) ? 1 : 0);
  if (end == std::string_view::npos) return {std::string(trimmed(line)), {}};
  return {std::string(trimmed(line.substr(0, end))), line.substr(end + 1)};
}

struct Numbers {
  std::vector<float> values;
  std::string wrong;  // the first that is none
  bool bad = false;
};
Numbers read_numbers(std::string_view text, char separator) {
  Numbers numbers;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(separator), text.size());
    const std::string_view field = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (separator == ' ' && trimmed(field).empty()) continue;
    if (const auto value = number_in(field)) {
      numbers.values.push_back(*value);
    } else if (!numbers.bad) {
      numbers.bad = true;
      numbers.wrong = std::string(trimmed(field));
    }
  }
  return numbers;
}

char separator_of(std::string_view line) {
  return line.find('\t') != std::string_view::npos  ? '\t'
         : line.find(',') != std::string_view::npos ? ','
                                                    : ' ';
}

[[noreturn]] void refuse(const std::string& where, std::size_t line, const std::string& what,
                         const std::string& hint) {
  throw Error(what, where + ", line " + std::to_string(line), hint);
}

}  // namespace

TokenTable parse_token_table(const std::string& text, const std::string& where) {
  TokenTable table;
  std::vector<float> all;
  std::size_t width = 0, number = 0, read = 0;
  char separator = 0;
  std::string_view rest = text;
  if (rest.starts_with("\xEF\xBB\xBF")) rest.remove_prefix(3);
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    std::string_view raw = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    ++number;
    if (raw.ends_with('\r')) raw.remove_suffix(1);
    if (trimmed(raw).empty()) continue;
    if (separator == 0) separator = separator_of(raw);
    const Line line = split_line(raw, separator);
    const Numbers numbers = read_numbers(line.numbers, separator);
    if (++read == 1 && numbers.bad && numbers.values.empty()) continue;  // a line of names
    if (numbers.bad)
      refuse(where, number, in_quotes(numbers.wrong) + " is no finite number", "a token and its numbers");
    if (numbers.values.empty())
      refuse(where, number, in_quotes(line.token) + " has no numbers", "a token and its numbers");
    if (width == 0) width = numbers.values.size();
    if (numbers.values.size() != width)
      refuse(where, number,
             in_quotes(line.token) + " has " + std::to_string(numbers.values.size()) + " numbers, expected " +
                 std::to_string(width),
             "every token needs as many as the first");
    table.tokens.push_back(line.token);
    all.insert(all.end(), numbers.values.begin(), numbers.values.end());
  }
  if (table.tokens.empty())
    throw Error("the table is empty", where, "one line for each token: cat, 0.1, 0.2");
  table.vectors = Eigen::Map<const Matrix>(all.data(), static_cast<Index>(table.tokens.size()),
                                           static_cast<Index>(width));
  return table;
}

TokenTable read_token_table(const std::filesystem::path& path) {
  require_file(path, kLargestTable);
  return parse_token_table(read_file(path), path.filename().string());
}

}  // namespace headlight
