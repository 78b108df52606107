#include "engine/interpretation/patch_estimate.h"

#include <cmath>
#include <limits>

#include "engine/interpretation/patch_map.h"

namespace headlight {
namespace {

PatchEstimate empty_estimate(const NetworkConfig& c, Index tokens) {
  PatchEstimate estimate;
  estimate.residual.setZero(c.layers + 1, tokens);
  estimate.attention_added.setZero(c.layers, tokens);
  estimate.mlp_added.setZero(c.layers, tokens);
  estimate.context.setZero(c.layers, c.heads);
  estimate.weights.setZero(c.layers, c.heads);
  estimate.context_by_token.assign(static_cast<std::size_t>(c.layers), Matrix::Zero(c.heads, tokens));
  return estimate;
}

// Adds what the numbers of one place would change.
void add(const PatchPlace& place, const Matrix& products, PatchEstimate& estimate) {
  const auto by_token = products.rowwise().sum().transpose();
  switch (place.stage) {
    case PatchStage::Residual:
      estimate.residual.row(place.layer) = by_token;
      return;
    case PatchStage::AttentionAdded:
      estimate.attention_added.row(place.layer) = by_token;
      return;
    case PatchStage::MlpAdded:
      estimate.mlp_added.row(place.layer) = by_token;
      return;
    case PatchStage::Context:
      estimate.context(place.layer, place.head) = products.sum();
      estimate.context_by_token[static_cast<std::size_t>(place.layer)].row(place.head) = by_token;
      return;
    case PatchStage::Weights:
      estimate.weights(place.layer, place.head) = products.sum();
      return;
    case PatchStage::Input:  // !is_estimated()
    case PatchStage::Queries:
    case PatchStage::Keys:
    case PatchStage::Values:
      return;
  }
}

bool is_estimated(PatchStage stage) {
  return stage == PatchStage::Residual || stage == PatchStage::AttentionAdded ||
         stage == PatchStage::MlpAdded || stage == PatchStage::Context || stage == PatchStage::Weights;
}

// The stream that enters the first layer, times its gradient.
GradientAtPlace times_embedding(NetworkPass& pass, Eigen::RowVectorXf& parts) {
  return [&](const PatchPlace&, const MatrixRef& gradient) {
    parts = pass.residual(0).cwiseProduct(gradient).rowwise().sum().transpose();
  };
}

}  // namespace

const Matrix& PatchEstimate::of(PatchStage stage) const {
  switch (stage) {
    case PatchStage::AttentionAdded:
      return attention_added;
    case PatchStage::MlpAdded:
      return mlp_added;
    case PatchStage::Context:
      return context;
    case PatchStage::Weights:
      return weights;
    case PatchStage::Residual:
    case PatchStage::Input:
    case PatchStage::Queries:
    case PatchStage::Keys:
    case PatchStage::Values:
      break;
  }
  return residual;
}

PatchEstimate estimate_patches(NetworkPass& pass, NetworkPass& source, const LogitChoice& logit,
                               const EstimateAtPlace& seen) {
  require_alike(pass, source);
  PatchEstimate estimate = empty_estimate(pass.network().config(), pass.token_count());
  estimate.before = static_cast<double>(chosen_logit(pass.logits(logit.position, 1).row(0), logit));
  logit_gradients(pass, logit, GradientsOf::RowsAndWeights,
                  [&](const PatchPlace& place, const MatrixRef& gradient) {
                    if (!is_estimated(place.stage)) return;
                    const Matrix change = stage_values(source, place) - stage_values(pass, place);
                    const Matrix products = change.cwiseProduct(gradient);
                    add(place, products, estimate);
                    if (seen) seen(place, products);
                  });
  return estimate;
}

EstimateError estimate_error(const Matrix& estimated, const Matrix& actual) {
  EstimateError error;
  error.correlation = std::numeric_limits<double>::quiet_NaN();
  if (actual.size() == 0) return error;
  const Eigen::ArrayXXd a = estimated.cast<double>().array(), b = actual.cast<double>().array();
  if (!(a - b).isFinite().all()) {
    error.largest = std::numeric_limits<double>::quiet_NaN();
    return error;
  }
  error.largest = (a - b).abs().maxCoeff(&error.row, &error.column);
  const Eigen::ArrayXXd da = a - a.mean(), db = b - b.mean();
  const double spread = std::sqrt(da.square().sum() * db.square().sum());
  if (spread > 0) error.correlation = (da * db).sum() / spread;
  return error;
}

EmbeddingParts embedding_parts(NetworkPass& pass, const LogitChoice& logit) {
  EmbeddingParts parts;
  parts.of = logit;
  logit_gradients(pass, logit, GradientsOf::Embedding, times_embedding(pass, parts.logit));
  parts.loss_value = std::numeric_limits<double>::quiet_NaN();
  if (pass.network().config().causal && pass.token_count() > 1)
    parts.loss_value = loss_gradients(pass, GradientsOf::Embedding, times_embedding(pass, parts.loss));
  return parts;
}

}  // namespace headlight
