// How well a causal model predicts each token of a text from those before it.
#pragma once

#include <functional>
#include <vector>

#include "engine/network/network_pass.h"

namespace headlight {

struct TokenLoss {
  double loss = 0;         // -ln p of the token, given those before it
  double probability = 0;  // p
  Index rank = 1;          // 1 + how many tokens of the vocabulary are likelier
};

// Of the tokens from the second one on: T - 1 of them. Throws Error if the model does not predict the next
// token, and for a text of one token; Stopped.
std::vector<TokenLoss> token_losses(NetworkPass& pass);
// The mean of their losses; the perplexity is e to its power.
double mean_loss(const std::vector<TokenLoss>& losses);

// The loss, the probability and the rank of a token by a row of logits.
TokenLoss loss_of(const Eigen::Ref<const Eigen::RowVectorXf>& logits, std::int32_t id);

}  // namespace headlight
