#include "engine/analysis/neurons.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "engine/analysis/added_logits.h"
#include "engine/core/error.h"
#include "engine/interpretation/attribution.h"

namespace headlight {

NeuronParts neuron_parts(NetworkPass& pass, const LogitChoice& logit, Index layer) {
  const LayerWeights& w = pass.layer_weights(layer);
  if (!w.experts.empty())
    throw Error("layer " + std::to_string(layer) + " has experts in the place of one MLP",
                pass.network().name(), "take a layer without experts");
  const Eigen::RowVectorXf behind = mlp_direction(pass, logit, layer);
  const Matrix down = widened(w.down);  // neurons x d
  NeuronParts parts;
  parts.activation = pass.mlp_hidden(layer, logit.position, 1).row(0);
  parts.part = parts.activation.cwiseProduct((down * behind.transpose()).transpose());
  return parts;
}

std::vector<Index> largest_parts(const Eigen::RowVectorXf& parts, Index count) {
  std::vector<Index> order(static_cast<std::size_t>(parts.size()));
  std::iota(order.begin(), order.end(), 0);
  const auto many = static_cast<std::ptrdiff_t>(std::min(count, parts.size()));
  std::partial_sort(order.begin(), order.begin() + many, order.end(), [&](Index a, Index b) {
    return std::abs(parts(a)) > std::abs(parts(b)) || (std::abs(parts(a)) == std::abs(parts(b)) && a < b);
  });
  order.resize(static_cast<std::size_t>(many));
  return order;
}

std::vector<std::vector<Prediction>> promoted_tokens(NetworkPass& pass, Index layer,
                                                     const std::vector<Index>& numbers, Index promoted) {
  const Matrix down = widened(pass.layer_weights(layer).down);
  Matrix outputs(static_cast<Index>(numbers.size()), down.cols());
  for (std::size_t i = 0; i < numbers.size(); ++i)
    outputs.row(static_cast<Index>(i)) = down.row(numbers[i]);
  const Matrix raised = added_logits(pass.network(), std::move(outputs));
  std::vector<std::vector<Prediction>> tokens;
  for (Index i = 0; i < raised.rows(); ++i)
    tokens.push_back(likeliest(raised.row(i), promoted));
  return tokens;
}

std::vector<Neuron> largest_neurons(NetworkPass& pass, const LogitChoice& logit, Index layer, Index count,
                                    Index promoted) {
  const NeuronParts all = neuron_parts(pass, logit, layer);
  const std::vector<Index> numbers = largest_parts(all.part, count);
  const std::vector<std::vector<Prediction>> raised = promoted_tokens(pass, layer, numbers, promoted);
  std::vector<Neuron> neurons;
  for (std::size_t i = 0; i < numbers.size(); ++i)
    neurons.push_back({numbers[i], all.activation(numbers[i]), all.part(numbers[i]), raised[i]});
  return neurons;
}

}  // namespace headlight
