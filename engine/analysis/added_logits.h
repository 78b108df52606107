// The effect on the logits of adding vectors to the final residual stream.
#pragma once

#include "engine/network/network.h"

namespace headlight {

// Throws Error if the model has no predictions, or if its logits are not those of a norm of a sum.
void require_added_logits(const Network& network);

// By how much each row of `rows`, which is added to the stream, raises each logit: before the last norm's
// divisor, which depends on the text, and without biases. rows: count x d; result: count x vocabulary.
// Precondition: require_added_logits().
Matrix added_logits(const Network& network, Matrix rows);

}  // namespace headlight
