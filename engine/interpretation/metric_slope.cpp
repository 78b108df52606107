#include "engine/interpretation/metric_slope.h"

#include "engine/core/error.h"

namespace headlight {
namespace {

using LogitRow = Eigen::Ref<const Eigen::RowVectorXf>;

// In double: a probability far from 1 is what is left of large numbers.
Eigen::RowVectorXd softmax(const LogitRow& logits) {
  const Eigen::RowVectorXd powers =
      (logits.cast<double>().array() - static_cast<double>(logits.maxCoeff())).exp();
  return powers / powers.sum();
}

}  // namespace

Matrix metric_slope(const LogitRow& logits, const LogitChoice& choice) {
  Eigen::RowVectorXd slope = Eigen::RowVectorXd::Zero(logits.size());
  slope(choice.id) = 1;
  double factor = 1;
  switch (choice.metric) {
    case Metric::Rank:
      throw Error("a rank has no gradient", "metric", "take a logit, a probability or the loss");
    case Metric::Logit:
    case Metric::LogitDifference:
      if (choice.other) slope(*choice.other) -= 1;
      break;
    case Metric::Probability:
      factor = loss_of(logits, choice.id).probability;
      slope -= softmax(logits);
      break;
    case Metric::LogProbability:
      slope -= softmax(logits);
      break;
    case Metric::Loss:
      factor = -1;
      slope -= softmax(logits);
      break;
  }
  return (factor * slope).cast<float>();
}

}  // namespace headlight
