#include "engine/attention/head_summary.h"

#include <cmath>
#include <limits>

namespace headlight {

HeadSummary summarize_head(const Matrix& weights) {
  HeadSummary summary;
  double entropy = 0, distance = 0, first = 0;
  Eigen::ArrayXf share(weights.cols());
  const Eigen::ArrayXf position =
      Eigen::ArrayXf::LinSpaced(weights.cols(), 0.0f, static_cast<float>(weights.cols() - 1));
  for (Index row = 0; row < weights.rows(); ++row) {
    // Behind the last token that it attends to, there is nothing to add: half of the cells under a causal
    // mask.
    Index count = weights.cols();
    while (count > 1 && weights(row, count - 1) == 0.0f)
      --count;
    share = weights.row(row).head(count).transpose().array().abs();
    const float sum = share.sum();
    if (!std::isfinite(sum) || sum <= 0) continue;
    share /= sum;
    // A share of zero adds nothing; its logarithm is kept finite.
    const float bits = -(share * share.max(std::numeric_limits<float>::min()).log()).sum();
    entropy += bits / std::log(2.0);
    distance += (share * (position.head(count) - static_cast<float>(row)).abs()).sum();
    first += share(0);
    ++summary.rows;
  }
  if (summary.rows == 0) return summary;
  const double count = static_cast<double>(summary.rows);
  summary.entropy_bits = static_cast<float>(std::max(0.0, entropy / count));
  summary.mean_distance = static_cast<float>(distance / count);
  summary.first_weight = static_cast<float>(first / count);
  return summary;
}

}  // namespace headlight
