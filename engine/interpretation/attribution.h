// Direct logit attribution: what each part of a model adds to a logit, or to the difference of two. The
// residual stream is a sum, followed by a norm, whose divisor is held constant, and a matrix product: the
// parts are exact and sum to the logit (before the softcap, if the family has one). Elhage et al. 2021,
// "A Mathematical Framework for Transformer Circuits".
#pragma once

#include <optional>

#include "engine/interpretation/predictions.h"
#include "engine/network/network_pass.h"

namespace headlight {

struct Attribution {
  LogitChoice of;                  // the logit that is decomposed
  double logit = 0;                // its value, or the difference
  double embedding = 0;            // of token and position embeddings together
  Matrix heads;                    // L x H; a head that is switched off adds nothing
  Eigen::RowVectorXf output_bias;  // of attention, by layer
  Eigen::RowVectorXf mlps;         // by layer
  // Of attention to an encoder's output: L x H, and its output bias by layer; empty without.
  Matrix cross_heads;
  Eigen::RowVectorXf cross_bias;
  double constant = 0;  // of the biases of the last norm and of the logits
  // What patches of Residual above layer 0 and of AttentionAdded insert into the stream of the logit's token,
  // less what they replace; nullopt without such a patch.
  std::optional<double> patches;
  // What the softcap of the logits adds to the sum; set by who asks for the capped logit.
  std::optional<double> cap = std::nullopt;
};

// Throws Error if the model has no predictions, or if it norms the sum after each layer (bert), so that the
// stream is not a sum of parts; Stopped.
Attribution attribute(NetworkPass& pass, const LogitChoice& logit);

// Splits a head's part by the tokens that it attends to: a number for each, which sum to the part. place: of
// the model's own layers, or of cross-attention. Empty if the head's context is not a sum over its tokens: it
// is replaced by its mean, or patched at the logit's token.
Eigen::RowVectorXf attribute_sources(NetworkPass& pass, const LogitChoice& logit, LayerPlace place,
                                     Index head);

// The logit as a linear function of what the down projection of a layer's MLP writes: d coefficients. Throws
// Error as attribute(); Stopped.
Eigen::RowVectorXf mlp_direction(NetworkPass& pass, const LogitChoice& logit, Index layer);

}  // namespace headlight
