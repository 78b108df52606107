#include "engine/analysis/rollout.h"

#include "engine/core/stopping.h"

namespace headlight {
namespace {

// Half the mean of the heads' weights, half the token itself; each row sums to 1, also where a sink or a mask
// took a part of the weights.
Eigen::MatrixXd step_of(NetworkPass& pass, Index layer) {
  const Index heads = pass.network().config().heads, tokens = pass.token_count();
  Eigen::MatrixXd step = Eigen::MatrixXd::Identity(tokens, tokens) / 2;
  for (Index head = 0; head < heads; ++head)
    step += pass.attention_weights(layer, head).cast<double>() / (2 * static_cast<double>(heads));
  const Eigen::VectorXd sums = step.rowwise().sum();
  return sums.cwiseInverse().asDiagonal() * step;
}

}  // namespace

void for_each_rollout(NetworkPass& pass, const std::function<void(Index, const Matrix&)>& body) {
  Eigen::MatrixXd rollout = Eigen::MatrixXd::Identity(pass.token_count(), pass.token_count());
  for (Index layer = 0; layer < pass.network().config().layers; ++layer) {
    throw_if_stopped();
    rollout = step_of(pass, layer) * rollout;
    body(layer, rollout.cast<float>());
  }
}

}  // namespace headlight
