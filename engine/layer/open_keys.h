// The keys that a query may attend to: by the rules of a mask and an additional matrix of 0 and 1.
#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include "engine/core/matrix.h"

namespace headlight {

// A mask by rules, as in real layers; a key is open if all rules allow it. Query i of a sequence has position
// offset + i among the keys: the first `offset` keys (of a cache) come before the first query.
struct MaskRules {
  bool causal = false;               // no keys after the query's position
  std::vector<Index> offsets;        // empty: 0; one: for all sequences; else one per sequence
  std::optional<Index> left, right;  // window: keys before and after the position; 0 or more
  std::vector<Index> keys;           // number of keys per sequence, the rest is padding; empty: all
  bool operator==(const MaskRules&) const = default;
};

// The keys that the rules allow for each query of a sequence form one range, which moves with the query: [i +
// from, i + to), limited to [0, keys).
struct KeyBand {
  static constexpr Index kOpen = Index{1} << 40;
  Index from = -kOpen, to = kOpen;
  Index keys = kOpen;

  Index begin(Index query) const { return std::clamp<Index>(query + from, 0, keys); }
  Index end(Index query) const { return std::clamp<Index>(query + to, begin(query), keys); }
  bool contains(Index query, Index key) const {
    return key >= query + from && key < query + to && key < keys;
  }
  // Whether all of `count` keys are open to all of `queries` queries.
  bool all_open(Index queries, Index count) const {
    return from <= 1 - queries && to >= count && keys >= count;
  }
  bool operator==(const KeyBand&) const = default;
};

struct OpenCells {  // of one head of one sequence; by default all cells
  KeyBand band;
  const Matrix* allowed = nullptr;  // Tq x Tk: closed where 0
  bool bias_closes = false;         // the score bias may also close pairs, by minus infinity

  bool contains(Index query, Index key) const {
    return band.contains(query, key) && (!allowed || (*allowed)(query, key) != 0.0f);
  }
};

}  // namespace headlight
