#include "engine/questions/token_losses.h"

#include <algorithm>
#include <cmath>

#include "engine/core/error.h"
#include "engine/core/parallel.h"
#include "engine/core/stopping.h"

namespace headlight {
namespace {

// Rows of logits at a time: a vocabulary has up to a quarter of a million numbers a row.
constexpr Index kLogitRows = 32;

}  // namespace

TokenLoss loss_of(const Eigen::Ref<const Eigen::RowVectorXf>& logits, std::int32_t id) {
  const float own = logits(id);
  const double largest = logits.maxCoeff<Eigen::PropagateNumbers>();
  const double sum = largest + std::log((logits.cast<double>().array() - largest).exp().sum());
  TokenLoss loss;
  loss.loss = sum - static_cast<double>(own);
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
