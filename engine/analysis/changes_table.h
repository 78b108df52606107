// What each change of a model does to its prediction: alone, and together with the others.
#pragma once

#include <cstdint>
#include <optional>

#include "engine/analysis/analysis_result.h"
#include "engine/interpretation/open_model.h"

namespace headlight {

// A list: the model as it is, each change that is on alone, and all of them together. Its columns are the
// logit of `target` at the predicted position, the change of this logit, the probability of the target and,
// of a causal model and a text of two tokens or more, the mean loss of the text; the remark is the likeliest
// token. target: none is the token that is likeliest without changes. An adapter in the folder stays as it is
// throughout. Counts layers and heads from 0. Throws Error if there are no changes or no predictions, and as
// take_state() and predicted_position(); Stopped.
ResultTable changes_table(const OpenModel& work, std::optional<std::int32_t> target);

}  // namespace headlight
