#include "engine/analysis/added_logits.h"

#include "engine/core/error.h"

namespace headlight {

void require_added_logits(const Network& network) {
  network.require_predictions();
  if (!network.config().stream_is_sum())
    throw Error("a model of type " + std::string(family_name(network.config())) +
                    " does not read its logits off the sum of what its heads add",
                network.name(), "open a model that norms what its layers read, as gpt2 or llama");
}

Matrix added_logits(const Network& network, Matrix rows) {
  const NetworkConfig& config = network.config();
  const NetworkWeights& w = network.weights();
  Workspace workspace;
  if (!w.final_norm.empty()) {
    if (config.norm == NormKind::Layer) rows.colwise() -= rows.rowwise().mean().eval();
    Eigen::RowVectorXf weight = w.final_norm.weight;
    if (config.norm == NormKind::RmsPlusOne) weight.array() += 1;
    rows = rows * weight.asDiagonal();
  }
  if (!w.head_projection.empty()) rows = rows * widened(w.head_projection);
  Factor unembedding = w.logits;
  unembedding.bias = nullptr;
  Matrix logits(rows.rows(), unembedding.outputs);
  multiply(rows, unembedding, logits, workspace);
  return logits * static_cast<float>(config.logit_factor);
}

}  // namespace headlight
