// Derivation of one cell: the numbers that the stages hold, term by term.
#pragma once

#include "engine/attention/evaluator.h"

namespace headlight {

// Throws Error if there is no such cell. Precondition: the evaluator is fresh. Cost: that of one row of each
// stage.
CellTrace trace_cell(const Evaluator& evaluator, const CellAddress& cell);

}  // namespace headlight
