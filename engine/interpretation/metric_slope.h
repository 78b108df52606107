// How fast a number of a row of logits changes with each logit.
#pragma once

#include "engine/interpretation/predictions.h"

namespace headlight {

// The gradient of chosen_value() by the logits: 1 x vocabulary. Precondition: the ids are in the vocabulary.
// Throws Error for a rank, which has none.
Matrix metric_slope(const Eigen::Ref<const Eigen::RowVectorXf>& logits, const LogitChoice& choice);

}  // namespace headlight
