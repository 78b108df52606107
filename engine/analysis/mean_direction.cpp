#include "engine/analysis/mean_direction.h"

#include <utility>

#include "engine/analysis/analysis.h"
#include "engine/analysis/tables.h"
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

Matrix logits_along(NetworkPass& pass, Index layer, const Eigen::RowVectorXf& direction, double strength,
                    Index position) {
  const std::vector<Patch> own = pass.patches();
  Patch patch{PatchStage::Residual, layer, 0, 0, 0, Matrix(pass.residual(layer))};
  patch.values.rowwise() += direction * static_cast<float>(strength);
  std::vector<Patch> patches = own;
  patches.push_back(std::move(patch));
  pass.set_patches(patches);
  Matrix logits = pass.logits(position, 1);
  pass.set_patches(own);
  return logits;
}

std::string strength_label(double strength) {
  std::string text = "x ";
  append_float(text, static_cast<float>(strength + 0.0));  // no -0
  return text;
}

std::string direction_in_words(Index layer, std::size_t others, std::size_t texts,
                               const Eigen::RowVectorXf& direction) {
  return "direction: the stream into layer " + std::to_string(layer) + ", the mean over the tokens of A (" +
         counted_texts(others) + ") less that of B (" + std::to_string(texts) + "); its norm is " +
         four_decimals(static_cast<double>(direction.norm()));
}

ResultTable direction_table(Metric metric, std::vector<std::string> strengths, Matrix values) {
  const std::string what = metric_in_words(metric);
  return of_quantity(
      what, grid_table("target", "", "strength", {what}, std::move(strengths), std::move(values), true));
}

}  // namespace headlight
