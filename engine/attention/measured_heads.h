// The measures of a head of an evaluated model.
#pragma once

#include "engine/attention/evaluator.h"
#include "engine/views/head_measures.h"

namespace headlight {

// Begins to measure the head's weights. `reference`: the state that is kept to compare with, or null. Without
// the picture that is asked for, or where it has another shape, the head is measured without one.
// The evaluators must be fresh, live, and stay as they are until it is done. Throws Error when there is no
// such head.
HeadMeasuring begin_measuring(const Evaluator& evaluator, const Evaluator* reference,
                              const MeasuresRequest& request);

// The same at once. Cost: O(T^2), and that of making the rows where weights are not kept.
HeadMeasures measures_of(const Evaluator& evaluator, const Evaluator* reference,
                         const MeasuresRequest& request);

}  // namespace headlight
