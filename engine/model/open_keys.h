// Which keys a query may attend to: what the rules of a mask leave, and a matrix of 0 and 1 beside them.
#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include "engine/core/matrix.h"

namespace headlight {

// A mask by rules, as real layers have it; a key is open where all of them allow it. Query i of a sequence
// stands at position offset + i among the keys: so many keys, those of a cache, stand before the first query.
struct MaskRules {
  bool causal = false;               // no key behind the query's position
  std::vector<Index> offsets;        // none: 0; one: of all sequences; else one of each
  std::optional<Index> left, right;  // a window: so many keys before the position, and behind it; 0 or more
  std::vector<Index> keys;           // how many keys each sequence has, the rest is padding; none: all
  bool operator==(const MaskRules&) const = default;
};

// The keys that the rules leave to each query of a sequence lie in one piece, which moves on with the query:
// from i + from up to, and without, i + to, as far as there are keys.
struct KeyBand {
  static constexpr Index kOpen = Index{1} << 40;
  Index from = -kOpen, to = kOpen;
  Index keys = kOpen;

  Index begin(Index query) const { return std::clamp<Index>(query + from, 0, keys); }
  Index end(Index query) const { return std::clamp<Index>(query + to, begin(query), keys); }
  bool contains(Index query, Index key) const {
    return key >= query + from && key < query + to && key < keys;
  }
  // Whether it leaves all of so many keys to all of so many queries.
  bool all_open(Index queries, Index count) const {
    return from <= 1 - queries && to >= count && keys >= count;
  }
  bool operator==(const KeyBand&) const = default;
};

struct OpenCells {  // of one head of one sequence; by default all
  KeyBand band;
  const Matrix* allowed = nullptr;  // a row for each query, a column for each key: closed where 0
  bool bias_closes = false;         // what is added to the scores may close pairs by minus infinity as well

  bool contains(Index query, Index key) const {
    return band.contains(query, key) && (!allowed || (*allowed)(query, key) != 0.0f);
  }
};

}  // namespace headlight
