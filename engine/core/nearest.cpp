#include "engine/core/nearest.h"

#include <algorithm>
#include <numeric>

#include "engine/core/ascii.h"

namespace headlight {
std::size_t edit_distance(std::string_view left, std::string_view right) {
  // Levenshtein's table, one row at a time: row[j] is the distance between the letters of `left` so far and
  // the first j letters of `right`.
  std::vector<std::size_t> row(right.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < left.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < right.size(); ++j) {
      const std::size_t replaced = diagonal + (lowered(left[i]) == lowered(right[j]) ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

namespace {

// Compares the distances of two names to `word`.
auto nearer_to(std::string_view word) {
  // The cost is the product of the lengths, and a hostile file can contain names of megabytes.
  constexpr std::size_t kLongest = 200;
  return [word](std::string_view a, std::string_view b) {
    const auto distance = [&](std::string_view name) {
      return edit_distance(word.substr(0, kLongest), name.substr(0, kLongest));
    };
    return distance(a) < distance(b);
  };
}

}  // namespace

std::string nearest_name(std::string_view word, const std::vector<std::string>& names) {
  const auto best = std::min_element(names.begin(), names.end(), nearer_to(word));
  return best == names.end() ? "" : *best;
}

std::vector<std::string> nearest_first(std::string_view word, std::vector<std::string> names) {
  std::stable_sort(names.begin(), names.end(), nearer_to(word));
  return names;
}

std::string in_quotes(std::string_view name) {
  constexpr std::size_t kLongest = 60;
  std::size_t end = std::min(name.size(), kLongest);
  while (end > 0 && end < name.size() && (static_cast<unsigned char>(name[end]) & 0xc0) == 0x80)
    --end;
  std::string text = "\"";
  for (const char letter : name.substr(0, end))
    text += static_cast<unsigned char>(letter) < 0x20 ? ' ' : letter;
  return text + (end < name.size() ? "...\"" : "\"");
}

std::string listed(const std::vector<std::string>& names) {
  constexpr std::size_t kMost = 12;
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), kMost); ++i)
    text += (i == 0 ? "" : ", ") + in_quotes(names[i]);
  if (names.size() > kMost) text += " and " + std::to_string(names.size() - kMost) + " more";
  return text;
}

std::string nearest_of(std::string_view word, std::vector<std::string> names) {
  names = nearest_first(word, std::move(names));
  const std::string nearest = "the nearest is " + in_quotes(names.front());
  names.erase(names.begin());
  return nearest + (names.empty() ? "" : "; there are also " + listed(names));
}

}  // namespace headlight
