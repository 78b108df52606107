// The backward rules of the stages of pairs: pure functions on any block of a head's rows. Each replaces
// dL/dy in its last argument by dL/dx, where the stage computes y from x.
#pragma once

#include "engine/core/matrix.h"

namespace headlight {

// From weights to masked scores. weights = softmax of each row (naive or not):
// dL/ds_j = w_j (dL/dw_j - sum_k w_k dL/dw_k). A row of zeros gets zeros.
void softmax_backward(const MatrixRef& weights, MatrixOut gradient);
// From the shares of the loss -sum_j share_j ln w_j to masked scores: dL/ds_j = w_j sum_k share_k - share_j,
// which divides by no weight.
void softmax_entropy_backward(const MatrixRef& weights, MatrixOut shares);

// From weights to masked scores. weights = s / sum of s over the cells that are not minus infinity:
// dL/ds_j = (dL/dw_j - sum_k w_k dL/dw_k) / sum, and 0 where s_j is minus infinity.
void sum_backward(const MatrixRef& masked, const MatrixRef& weights, MatrixOut gradient);

// From capped = cap tanh(scaled / cap) to scaled: times 1 - (capped / cap)^2.
void cap_backward(const MatrixRef& capped, double cap, MatrixOut gradient);

}  // namespace headlight
