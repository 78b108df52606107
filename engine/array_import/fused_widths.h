// How wide queries, keys and values are in an array that holds all three side by side.
#pragma once

#include <optional>

#include "engine/core/matrix.h"

namespace headlight {

struct HeadCounts {                             // what is known of them
  std::optional<Index> heads, kv_heads, width;  // H, G, d_k
};

struct FusedWidths {
  Index query = 0, key = 0;  // H d_k, and G d_k of the keys as of the values
  bool ambiguous = false;    // another number of heads of keys would go as well
};

// lines: of all three together. d_in: what they are multiplied with; 0 where that is not known. By the
// numbers of heads, as far as they are known; else three thirds; else queries as wide as d_in, and keys whose
// heads are shared. None when nothing of it goes.
std::optional<FusedWidths> fused_widths(Index lines, Index d_in, const HeadCounts& known);

}  // namespace headlight
