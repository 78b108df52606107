// How one cell came about: the very numbers that the stages hold, taken apart.
#pragma once

#include "engine/attention/evaluator.h"

namespace headlight {

// Throws Error when there is no such cell. The evaluator is fresh. Cost: that of one row of each stage.
CellTrace trace_cell(const Evaluator& evaluator, const CellAddress& cell);

}  // namespace headlight
