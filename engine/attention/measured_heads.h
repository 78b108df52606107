// Measures of a head of an evaluated model.
#pragma once

#include "engine/attention/evaluator.h"
#include "engine/views/head_measures.h"

namespace headlight {

// Begins to measure the head's weights. `reference`: the baseline, or null. If the picture that is requested
// does not exist or has another shape, the head is measured without it. The evaluators must be fresh, outlive
// the measuring and not change during it. Throws Error if there is no such head.
HeadMeasuring begin_measuring(const Evaluator& evaluator, const Evaluator* reference,
                              const MeasuresRequest& request);

// Measures the head in one call. Cost: O(T^2), plus that of computing the rows if weights are not stored.
HeadMeasures measures_of(const Evaluator& evaluator, const Evaluator* reference,
                         const MeasuresRequest& request);

}  // namespace headlight
