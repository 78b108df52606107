// The loss of next-token prediction and its backward pass down to the stream that leaves the last layer.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/network/layer_steps.h"
#include "engine/training/trained_weights.h"

namespace headlight {

// The mean of -ln softmax(logits)[next] over the rows with a target (not below zero), and its gradient by the
// stream. Logits are computed for a block of rows at a time, so that no matrix of all rows x vocabulary is
// stored. left, gradient: rows x d. by_token: receives -ln p of each target. gradients: null, or receives
// those of the weights as well. Returns 0 if there is no target.
double prediction_backward(const NetworkConfig& c, const NetworkWeights& w, const MatrixRef& left,
                           std::span<const std::int32_t> next, Matrix& gradient, std::vector<float>& by_token,
                           TensorGradients* gradients, Workspace& workspace);

// The gradient by the stream of the sum of all logits, each times its number in `shares`. left: rows x d;
// shares: rows x vocabulary. Returns rows x d.
Matrix logits_backward(const NetworkConfig& c, const NetworkWeights& w, const MatrixRef& left, Matrix shares,
                       Workspace& workspace);

// Rows per block of logits.
Index prediction_rows(Index vocabulary);

}  // namespace headlight
