// Predictions of a model: the likeliest tokens of a row of logits, and how well each token of a text is
// predicted.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "engine/network/network_pass.h"

namespace headlight {

struct Prediction {
  std::int32_t id = 0;
  float logit = 0;
  double probability = 0;  // softmax over the whole vocabulary
};

// The number that a row of logits is reduced to, for a target t:
enum class Metric {
  Logit,            // logits(t)
  LogitDifference,  // logits(t) - logits(the token against it)
  LogProbability,   // ln softmax(logits)(t)
  Probability,      // softmax(logits)(t)
  Rank,             // 1 + how many logits are larger than logits(t)
  Loss,             // -ln softmax(logits)(t)
};
// On the command line and in files, in the order of the enum.
inline constexpr std::array<std::string_view, 6> kMetricNames = {
    "logit", "logit_difference", "log_probability", "probability", "rank", "loss"};

// A logit, the difference of two, or another number of a token.
struct LogitChoice {
  Index position = 0;                 // the token whose stream is read
  std::int32_t id = 0;                // whose logit
  std::optional<std::int32_t> other;  // minus the logit of this one
  // Logit and LogitDifference: a logit, less that of `other` where there is one.
  Metric metric = Metric::Logit;
  bool operator==(const LogitChoice&) const = default;
};

// The largest first; equal ones by id. At most `count`. NaN comes last.
std::vector<Prediction> likeliest(const Eigen::Ref<const Eigen::RowVectorXf>& logits, Index count);
// The logit that is chosen, or the difference. Precondition: the ids are in the vocabulary.
float chosen_logit(const Eigen::Ref<const Eigen::RowVectorXf>& logits, const LogitChoice& choice);
// The number that is chosen. Precondition: as of chosen_logit().
double chosen_value(const Eigen::Ref<const Eigen::RowVectorXf>& logits, const LogitChoice& choice);
// The prediction of an id. Precondition: it is in the vocabulary.
Prediction prediction_of(const Eigen::Ref<const Eigen::RowVectorXf>& logits, std::int32_t id);

// The token whose logits give the prediction: the last one; for a masked language model, the first mask
// token; of an image the class token. Throws Error if there is none.
Index predicted_position(const Network& network, const std::vector<std::int32_t>& ids);

// How well a causal model predicts a token from those before it.
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
