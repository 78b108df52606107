#include "engine/tokenizers/splitting.h"

#include <algorithm>

#include "engine/json/json_fields.h"

namespace headlight {
namespace {

// Joins neighbours that are both matches or both not.
std::vector<Stretch> joined_by_kind(const std::vector<Stretch>& stretches) {
  std::vector<Stretch> joined;
  for (const Stretch& stretch : stretches)
    if (!joined.empty() && joined.back().match == stretch.match)
      joined.back().end = stretch.end;
    else
      joined.push_back(stretch);
  return joined;
}

// A match that does not follow another match is joined to the stretch before it.
std::vector<Stretch> merged_with_previous(const std::vector<Stretch>& stretches) {
  std::vector<Stretch> merged;
  bool after_match = false;
  for (const Stretch& stretch : stretches) {
    if (stretch.match && !after_match && !merged.empty())
      merged.back().end = stretch.end;
    else
      merged.push_back(stretch);
    after_match = stretch.match;
  }
  return merged;
}

// The same from the end: of consecutive matches the last one is joined to the stretch after it.
std::vector<Stretch> merged_with_next(const std::vector<Stretch>& stretches) {
  std::vector<Stretch> merged;
  bool before_match = false;
  for (auto stretch = stretches.rbegin(); stretch != stretches.rend(); ++stretch) {
    if (stretch->match && !before_match && !merged.empty())
      merged.back().begin = stretch->begin;
    else
      merged.push_back(*stretch);
    before_match = stretch->match;
  }
  std::reverse(merged.begin(), merged.end());
  return merged;
}

}  // namespace

SplitBehavior split_behavior(const std::string& word, const std::string& place) {
  static constexpr std::array<Word<SplitBehavior>, 5> kWords = {{
      {"Isolated", SplitBehavior::Isolated},
      {"Removed", SplitBehavior::Removed},
      {"MergedWithPrevious", SplitBehavior::MergedWithPrevious},
      {"MergedWithNext", SplitBehavior::MergedWithNext},
      {"Contiguous", SplitBehavior::Contiguous},
  }};
  return JsonFields::word_value(Json(word), place, kWords);
}

std::vector<Stretch> split(std::vector<Stretch> stretches, SplitBehavior behavior, bool inverted) {
  if (inverted)
    for (Stretch& stretch : stretches)
      stretch.match = !stretch.match;
  switch (behavior) {
    case SplitBehavior::Isolated:
      return stretches;
    case SplitBehavior::Removed:
      std::erase_if(stretches, [](const Stretch& stretch) { return stretch.match; });
      return stretches;
    case SplitBehavior::MergedWithPrevious:
      return merged_with_previous(stretches);
    case SplitBehavior::MergedWithNext:
      return merged_with_next(stretches);
    case SplitBehavior::Contiguous:
      return joined_by_kind(stretches);
  }
  return stretches;
}

}  // namespace headlight
