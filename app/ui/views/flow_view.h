// The flow view: attention weights as lines from queries to keys.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "app/ui/beams/beam_pull.h"
#include "app/ui/widgets/area.h"
#include "engine/views/query.h"

namespace headlight {

// State of the view across frames.
struct FlowViewState {
  static constexpr float kLeastOfMany = 0.2f;
  Index query_begin = 0, key_begin = 0;     // the first visible tokens, if not all fit
  std::optional<CellAddress> followed;      // the selection that the view last scrolled to
  float wheel_queries = 0, wheel_keys = 0;  // wheel movement that is not yet a whole token
  // With many tokens or heads: the picked heads, and the least weight that gets a line.
  std::vector<Index> heads;
  float least = kLeastOfMany;
  std::vector<std::shared_ptr<const Tile>> tiles;  // the newest complete set, one for each shown head
  std::uint64_t model_revision = 0;                // Document::model_revision of the tiles
  BeamPull pull;
};

// Whether only picked heads are drawn: with many tokens or heads, all lines together are unreadable.
bool flow_picks_heads(const Model& model);

void draw_flow_view(UiContext& ui, FlowViewState& state, const Area& area);

}  // namespace headlight
