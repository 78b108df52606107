#include "engine/interpretation/predictions.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "engine/core/error.h"
#include "engine/core/parallel.h"
#include "engine/core/stopping.h"

namespace headlight {
namespace {

// log of the sum of e^logit, in float64: a vocabulary may have a quarter of a million entries.
double log_sum(const Eigen::Ref<const Eigen::RowVectorXf>& logits) {
  const double largest = logits.maxCoeff<Eigen::PropagateNumbers>();
  return largest + std::log((logits.cast<double>().array() - largest).exp().sum());
}

Prediction predicted(const Eigen::Ref<const Eigen::RowVectorXf>& logits, std::int32_t id, double sum) {
  return {id, logits(id), std::exp(static_cast<double>(logits(id)) - sum)};
}

// Rows of logits at a time: a vocabulary has up to a quarter of a million numbers a row.
constexpr Index kLogitRows = 32;

}  // namespace

std::vector<Prediction> likeliest(const Eigen::Ref<const Eigen::RowVectorXf>& logits, Index count) {
  std::vector<std::int32_t> ids(static_cast<std::size_t>(logits.size()));
  std::iota(ids.begin(), ids.end(), 0);
  const auto many = std::min(static_cast<std::ptrdiff_t>(ids.size()), static_cast<std::ptrdiff_t>(count));
  std::partial_sort(ids.begin(), ids.begin() + many, ids.end(), [&](std::int32_t a, std::int32_t b) {
    const float one = logits(a), other = logits(b);
    if (std::isnan(one) != std::isnan(other)) return std::isnan(other);
    return one > other || (!(one < other) && a < b);
  });
  const double sum = log_sum(logits);
  std::vector<Prediction> predictions;
  for (std::ptrdiff_t i = 0; i < many; ++i)
    predictions.push_back(predicted(logits, ids[static_cast<std::size_t>(i)], sum));
  return predictions;
}

float chosen_logit(const Eigen::Ref<const Eigen::RowVectorXf>& logits, const LogitChoice& choice) {
  return logits(choice.id) - (choice.other ? logits(*choice.other) : 0);
}

double chosen_value(const Eigen::Ref<const Eigen::RowVectorXf>& logits, const LogitChoice& choice) {
  switch (choice.metric) {
    case Metric::Logit:
    case Metric::LogitDifference:
      break;
    case Metric::LogProbability:
      return -loss_of(logits, choice.id).loss;
    case Metric::Probability:
      return loss_of(logits, choice.id).probability;
    case Metric::Rank:
      return static_cast<double>(loss_of(logits, choice.id).rank);
    case Metric::Loss:
      return loss_of(logits, choice.id).loss;
  }
  return static_cast<double>(chosen_logit(logits, choice));
}

Prediction prediction_of(const Eigen::Ref<const Eigen::RowVectorXf>& logits, std::int32_t id) {
  return predicted(logits, id, log_sum(logits));
}

Index predicted_position(const Network& network, const std::vector<std::int32_t>& ids) {
  if (network.config().causal) return static_cast<Index>(ids.size()) - 1;
  if (network.reads_images()) return 0;
  const std::optional<std::int32_t> mask = network.mask_token();
  const auto masked = mask ? std::find(ids.begin(), ids.end(), *mask) : ids.end();
  if (masked != ids.end()) return masked - ids.begin();
  const std::string word = mask ? network.label(*mask) : "[MASK]";
  throw Error("the model fills in words that are masked, and no token of the text is " + word, "text",
              "put " + word + " in the place of a word");
}

TokenLoss loss_of(const Eigen::Ref<const Eigen::RowVectorXf>& logits, std::int32_t id) {
  const float own = logits(id);
  TokenLoss loss;
  loss.loss = log_sum(logits) - static_cast<double>(own);
  loss.probability = std::exp(-loss.loss);
  // A number that is none is behind all others.
  loss.rank = std::isnan(own) ? logits.size() : 1 + (logits.array() > own).count();
  return loss;
}

std::vector<TokenLoss> token_losses(NetworkPass& pass) {
  const Network& network = pass.network();
  network.require_predictions();
  if (!network.config().causal)
    throw Error("the model does not predict each token from those before it, so that tokens have no loss",
                network.name(), "open a model that predicts the next token, as gpt2 or llama");
  if (pass.token_count() < 2)
    throw Error("there is one token, and none to predict from it", "text", "give at least two tokens");
  std::vector<TokenLoss> losses(static_cast<std::size_t>(pass.token_count() - 1));
  for (Index begin = 0; begin + 1 < pass.token_count(); begin += kLogitRows) {
    throw_if_stopped();
    const Index count = std::min(kLogitRows, pass.token_count() - 1 - begin);
    const Matrix logits = pass.logits(begin, count);
    for_each_index(count, static_cast<double>(logits.size()), [&](Index i) {
      const auto next = static_cast<std::size_t>(begin + i);
      losses[next] = loss_of(logits.row(i), pass.ids()[next + 1]);
    });
  }
  return losses;
}

double mean_loss(const std::vector<TokenLoss>& losses) {
  double sum = 0;
  for (const TokenLoss& one : losses)
    sum += one.loss;
  return sum / static_cast<double>(losses.size());
}

}  // namespace headlight
