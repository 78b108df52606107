// All heads of a model at a glance: a small picture of each one's weights, its measures, and what it adds to
// a prediction.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "engine/interpretation/attribution.h"
#include "engine/views/head_measures.h"
#include "engine/views/query.h"

namespace headlight {

struct GlancedHead {
  Tile picture;  // of its weights
  HeadMeasures measures;
};

struct HeadsGlance {
  Index layers = 0, heads = 0;
  std::vector<GlancedHead> all;  // layer * heads + head
  const GlancedHead& of(Index layer, Index head) const {
    return all[static_cast<std::size_t>(layer * heads + head)];
  }
};

// side: of a picture, at most. `seen`: called with the layers that are done, and how many there are. Throws
// Stopped.
HeadsGlance glance_at_heads(NetworkPass& pass, Index side,
                            const std::function<void(Index done, Index all)>& seen);

}  // namespace headlight
