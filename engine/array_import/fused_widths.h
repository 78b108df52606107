// The widths of queries, keys and values in an array that holds all three side by side.
#pragma once

#include <optional>

#include "engine/core/matrix.h"

namespace headlight {

struct HeadCounts {                             // those that are known
  std::optional<Index> heads, kv_heads, width;  // H, G, d_k
};

struct FusedWidths {
  Index query = 0, key = 0;  // H d_k, and G d_k of the keys and of the values
  bool ambiguous = false;    // another number of key heads would fit too
};

// lines: the width of all three together. d_in: the width of their input; 0 if unknown. By the numbers of
// heads, as far as they are known; else three thirds; else queries as wide as d_in, and shared keys. Empty if
// nothing fits.
std::optional<FusedWidths> fused_widths(Index lines, Index d_in, const HeadCounts& known);

}  // namespace headlight
