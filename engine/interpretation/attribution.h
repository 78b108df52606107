// What each part of a model adds to a logit, or to the difference of two: direct logit attribution. The
// residual stream is a sum, and behind it stand a norm, whose divisor is held as the stream has it, and a
// product: the parts are exact and sum to the logit (before it is capped, where the family does). Elhage et
// al. 2021, "A Mathematical Framework for Transformer Circuits".
#pragma once

#include "engine/interpretation/predictions.h"
#include "engine/network/network_pass.h"

namespace headlight {

struct Attribution {
  LogitChoice of;                  // the logit that is taken apart
  double logit = 0;                // its value, or that of the difference
  double embedding = 0;            // of the tokens' and positions' embeddings together
  Matrix heads;                    // L x H; a head that is switched off adds nothing
  Eigen::RowVectorXf output_bias;  // of attention, by layer
  Eigen::RowVectorXf mlps;         // by layer
  double constant = 0;             // of the last norm's bias and that of the logits
};

// Throws Error when the model predicts no tokens, and when it norms the sums themselves (bert), so that they
// do not stay sums; Stopped.
Attribution attribute(NetworkPass& pass, const LogitChoice& logit);

// What of a head's part comes from each of the tokens that it attends to: T numbers, which sum to the head's.
Eigen::RowVectorXf attribute_sources(NetworkPass& pass, const LogitChoice& logit, Index layer, Index head);

}  // namespace headlight
