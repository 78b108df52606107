// Parallel loop over blocks of rows.
#pragma once

#include <algorithm>
#include <functional>

#include "engine/core/parallel.h"

namespace headlight {

// Calls body(begin, count) for blocks of at most `most` of `rows` rows, on all threads; `width`: numbers per
// row, a measure of the work.
inline void for_each_block(Index rows, Index most, Index width,
                           const std::function<void(Index, Index)>& body) {
  const Index blocks = (rows + most - 1) / most;
  for_each_index(blocks, static_cast<double>(rows) * static_cast<double>(width),
                 [&](Index block) { body(block * most, std::min(most, rows - block * most)); });
}

}  // namespace headlight
