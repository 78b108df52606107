// One query's way from its scores to its dropped weights, as bars.
#pragma once

#include <memory>
#include <vector>

#include "app/figure/diagrams/row_plan.h"
#include "app/ui/kit/area.h"
#include "engine/views/query.h"

namespace headlight {

// What the view remembers from frame to frame.
struct RowViewState {
  // The newest rows that came together, one for each of row_stages(); none before the first.
  std::vector<std::shared_ptr<const RowSummary>> rows;
  std::uint64_t model_revision = 0;  // of the model that they are of
};

void draw_row_view(UiContext& ui, RowViewState& state, const Area& area);

}  // namespace headlight
