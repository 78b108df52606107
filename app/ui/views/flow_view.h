// What the view of attention as lines remembers from frame to frame.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "engine/views/query.h"

namespace headlight {

struct FlowViewState {
  Index query_begin = 0, key_begin = 0;     // the first tokens in sight, where not all fit
  std::optional<CellAddress> followed;      // the selection that the tokens in sight were last moved to
  float wheel_queries = 0, wheel_keys = 0;  // parts of a token that the wheel was turned by
  std::vector<std::shared_ptr<const Tile>> tiles;  // the newest that came together, one for each shown head
};

}  // namespace headlight
