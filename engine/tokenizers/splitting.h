// Splits a text at matches.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/unicode/unicode.h"

namespace headlight {

// Bytes of a text, from begin up to end.
struct Stretch {
  std::size_t begin = 0;
  std::size_t end = 0;
  bool match = false;
};

// What becomes of the matches: a part each, nothing, joined to a neighbour, or joined to each other.
enum class SplitBehavior : std::uint8_t { Isolated, Removed, MergedWithPrevious, MergedWithNext, Contiguous };
SplitBehavior split_behavior(const std::string& word, const std::string& place);

// stretches: a whole text in order. inverted: the stretches between the matches are the matches.
std::vector<Stretch> split(std::vector<Stretch> stretches, SplitBehavior behavior, bool inverted = false);

// Each character for which `matches` holds is a separate match.
template <class Matches>
std::vector<Stretch> stretches_where(std::string_view text, Matches matches) {
  std::vector<Stretch> found;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = at;
    if (matches(next_character(text, at)))
      found.push_back({begin, at, true});
    else if (found.empty() || found.back().match)
      found.push_back({begin, at, false});
    else
      found.back().end = at;
  }
  return found;
}

// Runs of neighbouring characters with the same kind_of value; characters of kind 0 are left out.
template <class KindOf>
std::vector<Stretch> runs_of_kinds(std::string_view text, KindOf kind_of) {
  std::vector<Stretch> found;
  int last = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = at;
    const int kind = kind_of(next_character(text, at));
    if (kind != 0 && kind == last)
      found.back().end = at;
    else if (kind != 0)
      found.push_back({begin, at, true});
    last = kind;
  }
  return found;
}

}  // namespace headlight
