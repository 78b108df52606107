// Attribution patching: how much every patch that inserts numbers of another text would change a prediction,
// to first order, from one backward pass: the sum over the patched numbers of (inserted - present) d logit /
// d number. Nanda 2023, "Attribution Patching"; Syed et al. 2023, arXiv 2310.10348. And the same for the
// embedding of each token, gradient x input: Shrikumar et al. 2016, arXiv 1605.01713.
#pragma once

#include <functional>
#include <vector>

#include "engine/interpretation/pass_gradients.h"
#include "engine/interpretation/predictions.h"

namespace headlight {

// How the logit changes, by the gradient.
struct PatchEstimate {
  double before = 0;  // the logit without a patch
  // With one token's row inserted, L x T (residual: L + 1 x T).
  Matrix residual, attention_added, mlp_added;
  // With a head's context, or its weights, inserted at all tokens: L x H.
  Matrix context, weights;
  std::vector<Matrix> context_by_token;  // by layer, H x T: with a head's context at one token

  // As patch_map() arranges its logits. Precondition: one of these five stages.
  const Matrix& of(PatchStage stage) const;
};

// Called with what every single number of a place adds to the estimate, of the shape of stage_values().
using EstimateAtPlace = std::function<void(const PatchPlace& place, const Matrix& products)>;

// Neither pass changes. seen: empty, or called for each place of the stages above. Throws Error as
// require_alike() (patch_map.h), and if the model has no predictions; Stopped.
PatchEstimate estimate_patches(NetworkPass& pass, NetworkPass& source, const LogitChoice& logit,
                               const EstimateAtPlace& seen = {});

// How far an estimate of changes is from the changes themselves.
struct EstimateError {
  double correlation = 0;  // Pearson's, over all cells; NaN if either is the same in all cells
  // The largest difference, and its cell; 0 if there are no cells, NaN if a number is not finite.
  double largest = 0;
  Index row = 0, column = 0;
};
// Both of the same shape.
EstimateError estimate_error(const Matrix& estimated, const Matrix& actual);

// What the embedding of each token (with that of its position, and after the family's norm of embeddings)
// adds to a number: the sum over its width of gradient x embedding. Unlike the parts of attribute() these
// need not sum to the number.
struct EmbeddingParts {
  LogitChoice of;
  Eigen::RowVectorXf logit;  // T numbers
  // To the loss, the mean of -ln p(next token) over the text: T numbers. Empty, and a loss of NaN, if the
  // model is no decoder or the text has one token.
  Eigen::RowVectorXf loss;
  double loss_value = 0;
};
// Throws Error if the model has no predictions; Stopped.
EmbeddingParts embedding_parts(NetworkPass& pass, const LogitChoice& logit);

}  // namespace headlight
