#include "engine/analysis/ablation_tables.h"

#include <utility>

#include "engine/analysis/tables.h"

namespace headlight {
namespace {

// "its mean over all 280 tokens of 20 texts".
std::string put_in_words(const Analysis& analysis, const Ablation& all) {
  if (analysis.ablation == AblationKind::Zero) return "zero";
  if (analysis.mean_over == MeanOver::Text)
    return all.texts.size() == 1 ? "its mean over the text's own tokens"
                                 : "its mean over the tokens of each text itself";
  const std::string others = analysis.mean_over == MeanOver::Others ? "other " : "";
  return "its mean over all " + std::to_string(all.mean_tokens) + " tokens of " +
         (all.mean_texts == 1 ? others.empty() ? "the text" : "another text"
                              : std::to_string(all.mean_texts) + " " + others + "texts");
}

}  // namespace

std::string measured_in_words(const Analysis& analysis) {
  return of_text_loss(analysis) ? "loss of the text" : metric_in_words(target_metric(analysis));
}

std::string replaced_in_words(const Analysis& analysis, const Ablation& all) {
  return "in the place of each head" + std::string(analysis.together.empty() ? " and MLP" : "") + " is " +
         put_in_words(analysis, all);
}

std::vector<ResultTable> ablation_tables(const Analysis& analysis, Matrix heads, Matrix mlps) {
  const std::string change = "change of the " + measured_in_words(analysis);
  return {of_quantity(change, heads_table("heads", std::move(heads))),
          of_quantity(change, mlps_table("mlps", std::move(mlps)))};
}

ResultTable together_table(const Analysis& analysis, double before, double change) {
  std::string heads;
  for (const auto [layer, head] : analysis.together)
    heads += (heads.empty() ? "L" : " and L") + std::to_string(layer) + " H" + std::to_string(head);
  const std::string what = measured_in_words(analysis);
  Matrix values(1, 3);
  values << static_cast<float>(change), static_cast<float>(before), static_cast<float>(before + change);
  return list_table("together", "heads", {heads}, {"change", what + " without ablation", what + " with it"},
                    std::move(values));
}

}  // namespace headlight
