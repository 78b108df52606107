// What the view of one query's row remembers from frame to frame.
#pragma once

#include <array>
#include <memory>

#include "app/figure/diagrams/row_plan.h"
#include "engine/views/query.h"

namespace headlight {

struct RowViewState {
  // The newest rows that came together, one for each of kRowStages; null before the first.
  std::array<std::shared_ptr<const RowSummary>, kRowStages.size()> rows;
};

}  // namespace headlight
