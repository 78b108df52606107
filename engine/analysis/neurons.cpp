#include "engine/analysis/neurons.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "engine/analysis/added_logits.h"
#include "engine/core/error.h"
#include "engine/interpretation/attribution.h"

namespace headlight {

std::vector<Neuron> largest_neurons(NetworkPass& pass, const LogitChoice& logit, Index layer, Index count,
                                    Index promoted) {
  const Network& network = pass.network();
  const LayerWeights& w = pass.layer_weights(layer);
  if (!w.experts.empty())
    throw Error("layer " + std::to_string(layer) + " has experts in the place of one MLP", network.name(),
                "take a layer without experts");
  const Eigen::RowVectorXf behind = mlp_direction(pass, logit, layer);
  const Matrix down = widened(w.down);  // neurons x d
  const Eigen::RowVectorXf hidden = pass.mlp_hidden(layer, logit.position, 1).row(0);
  const Eigen::RowVectorXf parts = hidden.cwiseProduct((down * behind.transpose()).transpose());
  std::vector<Index> order(static_cast<std::size_t>(parts.size()));
  std::iota(order.begin(), order.end(), 0);
  const auto many = static_cast<std::ptrdiff_t>(std::min(count, parts.size()));
  std::partial_sort(order.begin(), order.begin() + many, order.end(), [&](Index a, Index b) {
    return std::abs(parts(a)) > std::abs(parts(b)) || (std::abs(parts(a)) == std::abs(parts(b)) && a < b);
  });
  Matrix outputs(many, down.cols());
  for (Index i = 0; i < many; ++i)
    outputs.row(i) = down.row(order[static_cast<std::size_t>(i)]);
  const Matrix raised = added_logits(pass.network(), std::move(outputs));
  std::vector<Neuron> neurons;
  for (Index i = 0; i < many; ++i) {
    const Index number = order[static_cast<std::size_t>(i)];
    neurons.push_back({number, hidden(number), parts(number), likeliest(raised.row(i), promoted)});
  }
  return neurons;
}

}  // namespace headlight
