#include "engine/analysis/mean_direction.h"

#include "engine/core/digits.h"
#include "engine/core/stopping.h"

namespace headlight {
namespace {

Eigen::RowVectorXd mean_stream(NetworkPass& pass, const std::vector<TokenIds>& texts, Index layer) {
  const std::vector<Patch> patches = pass.patches();
  Eigen::RowVectorXd sum = Eigen::RowVectorXd::Zero(pass.network().config().width);
  double tokens = 0;
  for (const TokenIds& ids : texts) {
    throw_if_stopped();
    take_text(pass, ids, patches);
    sum += pass.residual(layer).cast<double>().colwise().sum();
    tokens += static_cast<double>(ids.size());
  }
  return sum / tokens;
}

std::string counted_texts(std::size_t count) {
  return counted(static_cast<std::int64_t>(count), "text", "texts");
}

}  // namespace

Eigen::RowVectorXf mean_direction(NetworkPass& pass, const std::vector<TokenIds>& texts, NetworkPass& source,
                                  const std::vector<TokenIds>& others, Index layer) {
  const Eigen::RowVectorXd theirs = mean_stream(source, others, layer);
  return (theirs - mean_stream(pass, texts, layer)).cast<float>();
}

std::string direction_in_words(Index layer, std::size_t others, std::size_t texts,
                               const Eigen::RowVectorXf& direction) {
  return "direction: the stream into layer " + std::to_string(layer) + ", the mean over the tokens of A (" +
         counted_texts(others) + ") less that of B (" + std::to_string(texts) + "); its norm is " +
         four_decimals(static_cast<double>(direction.norm()));
}

std::string direction_in_words(Index layer, const std::string& file, const Eigen::RowVectorXf& direction) {
  return "direction: that of " + file + ", in the stream into layer " + std::to_string(layer) +
         "; its norm is " + four_decimals(static_cast<double>(direction.norm()));
}

}  // namespace headlight
