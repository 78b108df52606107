#include "app/export/figure_part.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <optional>
#include <string_view>

#include "engine/core/error.h"
#include "engine/layer/layer.h"

namespace headlight {
namespace {

constexpr std::size_t kMostNamed = 6;  // positions of a token in a message

// One end of a typed range.
struct PartEnd {
  std::string text;
  bool quoted = false;
};

// The texts on both sides of the first colon outside quotes; one text if there is none.
std::vector<PartEnd> ends_of(const std::string& text) {
  std::vector<PartEnd> ends(1);
  bool inside = false;
  for (const char c : text) {
    if (c == '"') {
      inside = !inside;
      ends.back().quoted = true;
    } else if (c == ':' && !inside && ends.size() == 1) {
      ends.emplace_back();
    } else {
      ends.back().text += c;
    }
  }
  return ends;
}

std::optional<Index> whole_number(const PartEnd& end) {
  Index number = 0;
  const char* last = end.text.data() + end.text.size();
  const auto [next, failed] = std::from_chars(end.text.data(), last, number);
  if (end.quoted || failed != std::errc() || next != last) return std::nullopt;
  return number;
}

// The token without the blank before a word, or the character that tokenizers write for the blank.
std::string_view without_blank(std::string_view token) {
  for (const std::string_view blank : {" ", "\u0120", "\u2581"})
    if (token.starts_with(blank)) return token.substr(blank.size());
  return token;
}

std::vector<Index> places_of(const std::string& text, const std::vector<std::string>& tokens) {
  std::vector<Index> exact, bare;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (tokens[i] == text) exact.push_back(static_cast<Index>(i));
    if (without_blank(tokens[i]) == text) bare.push_back(static_cast<Index>(i));
  }
  return exact.empty() ? bare : exact;
}

std::string listed(const std::vector<Index>& places) {
  std::string text;
  for (std::size_t i = 0; i < std::min(places.size(), kMostNamed); ++i)
    text += (i == 0 ? "" : i + 1 == places.size() ? " and " : ", ") + std::to_string(places[i]);
  if (places.size() > kMostNamed) text += " and " + std::to_string(places.size() - kMostNamed) + " more";
  return text;
}

Index token_named(const std::string& text, Index count, const std::vector<std::string>& tokens,
                  const std::string& where) {
  const std::string range = "0:" + std::to_string(count);
  if (tokens.empty())
    throw Error("'" + text + "' is no number, and dimensions have no other names", where,
                "give numbers from 0, as " + range);
  const std::vector<Index> places = places_of(text, tokens);
  if (places.empty())
    throw Error("there is no token '" + text + "'", where,
                "give the text of a token, or numbers from 0, as " + range);
  if (places.size() > 1)
    throw Error("the token '" + text + "' stands at " + listed(places), where,
                "say which by its number, as " + std::to_string(places[0]));
  return places[0];
}

// As in Python's slices.
Index from_the_end(Index number, Index count) {
  return std::clamp<Index>(number < 0 ? number + count : number, 0, count);
}

Index end_of_range(const PartEnd& end, bool last, Index count, const std::vector<std::string>& tokens,
                   const std::string& where) {
  if (end.text.empty() && !end.quoted) return last ? count : 0;
  if (const auto number = whole_number(end)) return from_the_end(*number, count);
  return token_named(end.text, count, tokens, where) + (last ? 1 : 0);
}

std::string file_words(const std::string& text) {
  std::string words;
  for (const char c : text) {
    const bool stays = static_cast<unsigned char>(c) >= 0x80 || std::isalnum(static_cast<unsigned char>(c));
    if (stays)
      words += c;
    else if (c != '"' && (words.empty() || words.back() != '-'))
      words += '-';
  }
  return words;
}

}  // namespace

IndexRange read_part(const std::string& text, Index count, const std::vector<std::string>& tokens,
                     const std::string& where) {
  if (text.empty()) return {0, count};
  const std::vector<PartEnd> ends = ends_of(text);
  IndexRange range;
  if (ends.size() > 1) {
    range.begin = end_of_range(ends[0], false, count, tokens, where);
    range.end = end_of_range(ends[1], true, count, tokens, where);
  } else if (const auto number = whole_number(ends[0])) {
    range.begin = *number < 0 ? *number + count : *number;
    range.end = range.begin + 1;
    if (range.begin < 0 || range.end > count) range = {};
  } else {
    range.begin = token_named(ends[0].text, count, tokens, where);
    range.end = range.begin + 1;
  }
  if (range.count() <= 0)
    throw Error("nothing is left in " + text, where, "they are 0 to " + std::to_string(count - 1));
  return range;
}

FigurePart read_part(const std::string& rows, const std::string& columns, const Layer& layer, Stage stage) {
  static const std::vector<std::string> kNoTokens;
  return {read_part(rows, stage_rows(layer, stage), row_labels(layer, stage), "rows"),
          read_part(columns, stage_columns(layer, stage), is_pair(stage) ? layer.key_labels() : kNoTokens,
                    "columns")};
}

std::string part_name(const std::string& rows, const std::string& columns) {
  return (rows.empty() ? "" : "-rows" + file_words(rows)) +
         (columns.empty() ? "" : "-columns" + file_words(columns));
}

}  // namespace headlight
