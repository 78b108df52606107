// Overview of all heads of a model: a small picture of each head's weights, and its measures.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "engine/interpretation/attribution.h"
#include "engine/views/head_measures.h"
#include "engine/views/query.h"

namespace headlight {

struct HeadOverview {
  Tile picture;  // of its weights
  HeadMeasures measures;
};

struct HeadsOverview {
  Index layers = 0, heads = 0;
  std::vector<HeadOverview> all;  // layer * heads + head
  const HeadOverview& of(Index layer, Index head) const {
    return all[static_cast<std::size_t>(layer * heads + head)];
  }
};

// side: largest side of a picture. `seen`: called with the number of layers that are done, and of all. Throws
// Stopped.
HeadsOverview overview_of_heads(NetworkPass& pass, Index side,
                                const std::function<void(Index done, Index all)>& seen);

}  // namespace headlight
