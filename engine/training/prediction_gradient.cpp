#include "engine/training/prediction_gradient.h"

#include <algorithm>
#include <cmath>

#include "engine/core/parallel.h"
#include "engine/learning/backward_kernels.h"
#include "engine/network/norms.h"
#include "engine/simd/vector_loops.h"
#include "engine/training/row_backward.h"

namespace headlight {
namespace {

// A row of logits becomes share * (softmax - the target), the gradient of share * -ln p; returns -ln p.
float entropy_row(Eigen::Ref<Eigen::RowVectorXf> logits, std::int32_t target, float share) {
  const float largest = logits.maxCoeff(), wanted = logits(target) - largest;
  best_vector_loops().exponentiate(logits.data(), logits.size(), largest, logits.data());
  const float sum = logits.sum();
  logits *= share / sum;
  logits(target) -= share;
  return std::log(sum) - wanted;
}

// Logits of rows of `input` become the gradient by them.
void entropy_rows(const NetworkConfig& c, std::span<const std::int32_t> next, float share, Matrix& logits,
                  std::span<float> losses) {
  const Matrix capped = c.final_softcap > 0 ? logits : Matrix();
  const auto factor = static_cast<float>(c.logit_factor);
  for_each_block(logits.rows(), 4, 8 * logits.cols(), [&](Index begin, Index count) {
    for (Index i = begin; i < begin + count; ++i) {
      const std::int32_t target = next[static_cast<std::size_t>(i)];
      if (target < 0)
        logits.row(i).setZero();
      else
        losses[static_cast<std::size_t>(i)] = entropy_row(logits.row(i), target, share);
    }
    if (c.final_softcap > 0)
      cap_backward(capped.middleRows(begin, count), c.final_softcap, logits.middleRows(begin, count));
    if (factor != 1) logits.middleRows(begin, count) *= factor;
  });
}

// gradient, by what the logits are computed from, becomes that by the stream.
void input_backward(const NetworkConfig& c, const NetworkWeights& w, const MatrixRef& left,
                    const PredictionTrace& trace, Matrix& gradient, TensorGradients* gradients,
                    Workspace& workspace) {
  if (!w.head_transform.empty()) {
    norm_backward(c, w.head_norm, trace.activated, gradient, gradients);
    Matrix values = trace.transformed, slopes(values.rows(), values.cols());
    activate_with_slope(c.head_activation, values, slopes);
    slopes.array() *= gradient.array();
    gradient.setZero();
    factor_backward(w.head_transform, trace.normed, slopes, gradient, gradients, workspace);
  }
  if (!w.final_norm.empty()) norm_backward(c, w.final_norm, left, gradient, gradients);
}

}  // namespace

Index prediction_rows(Index vocabulary) {
  constexpr Index kNumbers = Index{1} << 23;
  return std::max<Index>(16, kNumbers / vocabulary);
}

double prediction_backward(const NetworkConfig& c, const NetworkWeights& w, const MatrixRef& left,
                           std::span<const std::int32_t> next, Matrix& gradient, std::vector<float>& by_token,
                           TensorGradients* gradients, Workspace& workspace) {
  PredictionTrace trace;
  const Matrix input = prediction_input(c, w, left, workspace, &trace);
  const auto targets = std::count_if(next.begin(), next.end(), [](std::int32_t id) { return id >= 0; });
  const float share = targets > 0 ? 1 / static_cast<float>(targets) : 0;
  std::vector<float> losses(next.size());
  gradient.setZero(left.rows(), left.cols());
  Matrix logits;
  const Index most = prediction_rows(c.vocabulary);
  for (Index begin = 0; begin < left.rows(); begin += most) {
    const Index count = std::min(most, left.rows() - begin);
    const auto at = static_cast<std::size_t>(begin), some = static_cast<std::size_t>(count);
    logits.resize(count, c.vocabulary);
    predict(c, w, input.middleRows(begin, count), logits, workspace);
    entropy_rows(c, next.subspan(at, some), share, logits, std::span(losses).subspan(at, some));
    factor_backward(w.logits, input.middleRows(begin, count), logits, gradient.middleRows(begin, count),
                    gradients, workspace);
  }
  input_backward(c, w, left, trace, gradient, gradients, workspace);
  by_token.clear();
  double sum = 0;
  for (std::size_t i = 0; i < next.size(); ++i) {
    if (next[i] < 0) continue;
    by_token.push_back(losses[i]);
    sum += static_cast<double>(losses[i]);
  }
  return targets > 0 ? sum / static_cast<double>(targets) : 0;
}

Matrix logits_backward(const NetworkConfig& c, const NetworkWeights& w, const MatrixRef& left, Matrix shares,
                       Workspace& workspace) {
  PredictionTrace trace;
  const Matrix input = prediction_input(c, w, left, workspace, &trace);
  if (c.final_softcap > 0) {
    Matrix logits(left.rows(), c.vocabulary);
    predict(c, w, input, logits, workspace);
    cap_backward(logits, c.final_softcap, shares);
  }
  if (c.logit_factor != 1) shares *= static_cast<float>(c.logit_factor);
  Matrix gradient = Matrix::Zero(left.rows(), left.cols());
  add_multiplied_back(shares, w.logits, gradient, workspace);
  input_backward(c, w, left, trace, gradient, nullptr, workspace);
  return gradient;
}

}  // namespace headlight
