// Direct logit attribution: what each part of a model adds to a logit, or to the difference of two. The
// residual stream is a sum, followed by a norm, whose divisor is held constant, and a matrix product: the
// parts are exact and sum to the logit (before the softcap, if the family has one). No part holds what
// patches of AttentionAdded, or of Residual above layer 0, change: with these the sum differs. Elhage et al.
// 2021, "A Mathematical Framework for Transformer Circuits".
#pragma once

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
  double constant = 0;             // of the biases of the last norm and of the logits
};

// Throws Error if the model has no predictions, or if it norms the sums themselves (bert), which then do not
// stay sums; Stopped.
Attribution attribute(NetworkPass& pass, const LogitChoice& logit);

// Splits a head's part by the tokens that it attends to: T numbers. They sum to the head's part unless its
// state is Off or Mean or its context is patched.
Eigen::RowVectorXf attribute_sources(NetworkPass& pass, const LogitChoice& logit, Index layer, Index head);

}  // namespace headlight
