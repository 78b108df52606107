// The flow view: attention weights as lines from queries to keys.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "app/figure/plan/flow_plan.h"
#include "app/ui/picture/beam_pull.h"
#include "app/ui/widgets/area.h"
#include "engine/views/query.h"

namespace headlight {

// State of the view across frames.
struct FlowViewState {
  Index query_begin = 0, key_begin = 0;            // the first visible tokens, if not all fit
  std::optional<CellAddress> followed;             // the selection that the view last scrolled to
  float wheel_queries = 0, wheel_keys = 0;         // wheel movement that is not yet a whole token
  std::vector<std::shared_ptr<const Tile>> tiles;  // the newest complete set, one for each shown head
  std::uint64_t layer_revision = 0;                // Document::layer_revision of the tiles
  BeamPull pull;
};

// Whether only picked heads are drawn: with many tokens or heads, all lines together are unreadable.
bool flow_picks_heads(const Layer& layer);

// The heads whose lines are drawn: the one shown alone, the picked ones, or all.
std::vector<Index> flow_heads(const UiContext& ui, Stage stage);
// What stands out for the selected cell: the lines of a query or of a key, or one line; -1: neither.
struct FlowMarks {
  Index query = -1, key = -1, head = 0;
};
FlowMarks selected_flow(const UiContext& ui);

void draw_flow_view(UiContext& ui, FlowViewState& state, const Area& area);

}  // namespace headlight
