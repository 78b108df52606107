// The weights as lines from queries to keys.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "app/ui/kit/area.h"
#include "engine/views/query.h"

namespace headlight {

// What the view remembers from frame to frame.
struct FlowViewState {
  static constexpr float kLeastOfMany = 0.2f;
  Index query_begin = 0, key_begin = 0;     // the first tokens in sight, where not all fit
  std::optional<CellAddress> followed;      // the selection that the tokens in sight were last moved to
  float wheel_queries = 0, wheel_keys = 0;  // parts of a token that the wheel was turned by
  // Of many tokens or heads: the heads that were picked, and from which weight on lines are drawn.
  std::vector<Index> heads;
  float least = kLeastOfMany;
  std::vector<std::shared_ptr<const Tile>> tiles;  // the newest that came together, one for each shown head
  std::uint64_t model_revision = 0;                // of the model that they are of
};

// Whether it draws the heads that were picked: of many tokens or heads all lines are more than can be read.
bool flow_picks_heads(const Model& model);

void draw_flow_view(UiContext& ui, FlowViewState& state, const Area& area);

}  // namespace headlight
