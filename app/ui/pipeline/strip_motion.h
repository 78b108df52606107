// The strip while a stage is added or removed: its neighbours part, it grows between them, and the lines
// follow. Computed, not painted; no Dear ImGui.
#pragma once

#include <vector>

#include "app/ui/pipeline/pipeline_plan.h"

namespace headlight {

inline constexpr double kStripSeconds = 0.22;

// The node of `plan` that shows what `node` shows; null: it has none.
const PipelineNode* same_node(const PipelinePlan& plan, const PipelineNode& node);
// Whether both diagrams have the same form and the same parts, of whatever size.
bool same_parts(const PipelinePlan& a, const PipelinePlan& b);

// What is drawn at a time.
struct StripMoment {
  PipelinePlan plan;                  // the later diagram, in its order, with everything where it is
  std::vector<double> nodes, wires;   // the opacity of each of them
  std::vector<PipelineNode> leaving;  // what only the earlier one has
  double arrived = 1;  // opacity of what only the later one has; of what leaves it is 1 - arrived
};

// Continuous in `seconds`: at 0 the earlier diagram with its parts where they were, from kStripSeconds on the
// later one. A part that only one of them has begins, or ends, without a size on the line between its
// neighbours.
StripMoment strip_at(const PipelinePlan& before, const PipelinePlan& after, double seconds);

}  // namespace headlight
