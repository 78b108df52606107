#include "engine/json/json_document.h"

#include <algorithm>
#include <cctype>
#include <cstring>

#include "engine/core/ascii.h"
#include "engine/core/error.h"
#include "engine/json/json_builder.h"

namespace headlight {
namespace {

// at: index of a byte. Lines and columns count from 1, columns in characters.
std::string place_of(const std::string& text, std::size_t at) {
  at = std::min(at, text.size());
  const std::string_view before = std::string_view(text).substr(0, at);
  const auto line = std::count(before.begin(), before.end(), '\n') + 1;
  const std::size_t line_begin = before.rfind('\n') == std::string_view::npos ? 0 : before.rfind('\n') + 1;
  const auto is_character = [](char byte) { return (static_cast<unsigned char>(byte) & 0xc0) != 0x80; };
  const auto column =
      std::count_if(before.begin() + static_cast<std::ptrdiff_t>(line_begin), before.end(), is_character);
  return "line " + std::to_string(line) + ", column " + std::to_string(column + 1);
}

bool in_word(char letter) {
  return std::isalnum(static_cast<unsigned char>(letter)) || letter == '+' || letter == '-' ||
         letter == '.' || letter == '_';
}

// The bare word around a byte ("NaN", "-Infinity", "True"); begin is where it starts.
std::string word_around(const std::string& text, std::size_t at, std::size_t& begin) {
  begin = std::min(at, text.size());
  if (begin < text.size() && !in_word(text[begin]) && begin > 0) --begin;
  while (begin > 0 && in_word(text[begin - 1]) && at - begin < 40)
    --begin;
  std::size_t end = begin;
  while (end < text.size() && in_word(text[end]) && end - begin < 40)
    ++end;
  return text.substr(begin, end - begin);
}

// The start of the token whose last byte is `at`: the parser reports the end of the token that it rejects.
std::size_t token_begin(const std::string& text, std::size_t at) {
  std::size_t begin = at;
  if (text[at] == '"') {
    const auto opens = [&](std::size_t i) { return text[i] == '"' && (i == 0 || text[i - 1] != '\\'); };
    while (begin > 0 && !opens(begin - 1))
      --begin;
    return begin > 0 ? begin - 1 : at;
  }
  while (begin > 0 && in_word(text[begin]) && in_word(text[begin - 1]))
    --begin;
  return begin;
}

bool names_no_number(std::string word) {
  word = lowered(word);
  if (!word.empty() && (word.front() == '-' || word.front() == '+')) word.erase(0, 1);
  return word == "nan" || word == "inf" || word == "infinity";
}

// The parser's message without its prefix and position.
std::string reason_of(const nlohmann::json::parse_error& error) {
  std::string reason = error.what();
  const std::size_t column = reason.find("column ");
  const std::size_t colon = column == std::string::npos ? column : reason.find(": ", column);
  if (colon != std::string::npos) reason.erase(0, colon + 2);
  constexpr std::string_view kPrefix = "syntax error while parsing ";
  if (reason.starts_with(kPrefix)) reason.erase(0, kPrefix.size());
  constexpr std::size_t kLongest = 120;  // the parser repeats what it read last, however long
  if (reason.size() > kLongest) {
    std::size_t end = kLongest;
    while (end > 0 && (static_cast<unsigned char>(reason[end]) & 0xc0) == 0x80)
      --end;
    reason = reason.substr(0, end) + "...";
  }
  return reason;
}

Error syntax_error(const std::string& text, const nlohmann::json::parse_error& error) {
  const std::size_t at = error.byte > 0 ? error.byte - 1 : 0;  // the parser counts from 1
  std::size_t begin = 0;
  const std::string word = word_around(text, at, begin);
  if (names_no_number(word))
    return Error(word + " is not a number that JSON can hold", place_of(text, begin),
                 "inputs are finite numbers: put one there, such as 0");
  if (at >= text.size())
    return Error("the text ends too early", place_of(text, text.size()),
                 "a bracket or a quotation mark is not closed, or the file was cut off");
  return Error("this is not JSON: " + reason_of(error), place_of(text, token_begin(text, at)),
               "look for a missing or an extra comma, bracket or quotation mark there");
}

}  // namespace

// NOLINTNEXTLINE(bugprone-exception-escape): see the header
JsonTree::~JsonTree() {
  dismantle(value);
}

void JsonTree::dismantle(Json& value) {
  if (value.is_array()) {
    for (auto& list = value.get_ref<Json::array_t&>(); !list.empty(); list.pop_back())
      dismantle(list.back());
  } else if (value.is_object()) {
    for (auto& members = value.get_ref<Json::object_t&>(); !members.empty(); members.erase(members.begin()))
      dismantle(members.begin()->second);
  }
}

Json parse_json(const std::string& text, const std::vector<std::string>& packed) {
  if (text.empty())
    throw Error("the file is empty", "", "it may not have been written completely: restore a copy");
  JsonBuilder builder(packed);
  try {
    Json::sax_parse(text, &builder);
  } catch (const Json::parse_error& error) {
    throw syntax_error(text, error);
  }
  return builder.take();
}

std::vector<float> packed_numbers(const Json& value) {
  const auto& bytes = value.get_binary();
  std::vector<float> numbers(bytes.size() / sizeof(float));
  std::memcpy(numbers.data(), bytes.data(), bytes.size());
  return numbers;
}

std::string json_kind(const Json& value) {
  switch (value.type()) {
    case Json::value_t::null:
      return "null";
    case Json::value_t::object:
      return "an object {...}";
    case Json::value_t::array:
    case Json::value_t::binary:  // packed
      return "a list [...]";
    case Json::value_t::string:
      return "text";
    case Json::value_t::boolean:
      return value.get<bool>() ? "true" : "false";
    default:
      return "a number";
  }
}

}  // namespace headlight
