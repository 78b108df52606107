#include "engine/interpretation/sampling.h"

#include <cmath>

#include "engine/core/error.h"
#include "engine/interpretation/predictions.h"

namespace headlight {

void require_sampling(const Sampling& sampling) {
  if (!(sampling.temperature >= 0) || std::isinf(sampling.temperature))
    throw Error("the temperature is no number from 0 on", "temperature",
                "1 draws as the model expects, less is bolder for what is likely, 0 takes the likeliest");
  if (sampling.top_k < 0) throw Error("top k is below 0", "top_k", "0 stands for all tokens");
}

std::int32_t drawn_token(const Eigen::Ref<const Eigen::RowVectorXf>& logits, const Sampling& sampling,
                         TorchStream& stream) {
  const Index most = sampling.temperature == 0 ? 1 : sampling.top_k == 0 ? logits.size() : sampling.top_k;
  const std::vector<Prediction> choice = likeliest(logits, most);
  if (choice.size() == 1) return choice.front().id;
  const auto largest = static_cast<double>(choice.front().logit);
  std::vector<double> sums;
  double sum = 0;
  for (const Prediction& one : choice) {
    const double share = std::exp((static_cast<double>(one.logit) - largest) / sampling.temperature);
    sums.push_back(sum += std::isnan(share) ? 0 : share);
  }
  const double drawn = static_cast<double>(stream.rand()) * sum;
  for (std::size_t i = 0; i < choice.size(); ++i)
    if (drawn < sums[i]) return choice[i].id;
  return choice.front().id;
}

}  // namespace headlight
