// The part of NetworkPass that applies interventions.
#include <algorithm>
#include <utility>

#include "engine/core/error.h"
#include "engine/network/layer_steps.h"
#include "engine/network/network_pass.h"

namespace headlight {
namespace {

// The numbers of a place from the texts of interventions, each text run once.
class SourceNumbers {
 public:
  explicit SourceNumbers(std::shared_ptr<const Network> network) : pass_(std::move(network)) {}

  void find(std::vector<PreparedIntervention*> wanting) {
    std::vector<Sum> sums(wanting.size());
    for (const std::vector<std::int32_t>& text : texts_of(wanting)) {
      pass_.set_ids(text);
      for (std::size_t i = 0; i < wanting.size(); ++i)
        take(text, *wanting[i], sums[i]);
    }
    for (std::size_t i = 0; i < wanting.size(); ++i)
      if (sums[i].tokens > 0) wanting[i]->set_source((sums[i].rows / sums[i].tokens).cast<float>());
  }

 private:
  struct Sum {
    Eigen::RowVectorXd rows;
    double tokens = 0;
  };

  static std::vector<std::vector<std::int32_t>> texts_of(const std::vector<PreparedIntervention*>& wanting) {
    std::vector<std::vector<std::int32_t>> texts;
    for (const PreparedIntervention* one : wanting)
      texts.insert(texts.end(), one->what().texts.begin(), one->what().texts.end());
    std::sort(texts.begin(), texts.end());
    texts.erase(std::unique(texts.begin(), texts.end()), texts.end());
    return texts;
  }

  // The text counts as often as the intervention names it.
  void take(const std::vector<std::int32_t>& text, PreparedIntervention& into, Sum& sum) {
    const auto& texts = into.what().texts;
    const auto times = static_cast<double>(std::count(texts.begin(), texts.end(), text));
    if (times == 0) return;
    Matrix numbers = pass_.numbers_at(into.what().place, into.what().layer);
    if (into.what().how == InterventionHow::Resample) return into.set_source(std::move(numbers));
    if (sum.tokens == 0) sum.rows.setZero(numbers.cols());
    sum.rows += times * numbers.cast<double>().colwise().sum();
    sum.tokens += times * static_cast<double>(text.size());
  }

  NetworkPass pass_;
};

}  // namespace

PatchStage patch_stage_of(InterventionPlace place) {
  switch (place) {
    case InterventionPlace::Residual:
      return PatchStage::Residual;
    case InterventionPlace::Queries:
      return PatchStage::Queries;
    case InterventionPlace::Keys:
      return PatchStage::Keys;
    case InterventionPlace::Values:
      return PatchStage::Values;
    case InterventionPlace::Weights:
      return PatchStage::Weights;
    case InterventionPlace::Head:
      return PatchStage::Context;
    case InterventionPlace::Neuron:
    case InterventionPlace::Mlp:
      break;
  }
  return PatchStage::MlpAdded;
}

Matrix NetworkPass::projected(InterventionPlace place, Index layer, Index begin, Index end) {
  const NetworkConfig& c = network_->config();
  const LayerWeights& w = at(layer).weights;
  const bool queries = place == InterventionPlace::Queries;
  const Factor& factor = queries ? w.query : w.key;
  Matrix rows(end - begin, factor.outputs);
  multiply(read_rows(layer, begin, end), factor, rows, workspace_);
  turn_heads(c, queries ? w.query_norm : w.key_norm, nullptr, begin, rows);
  intervene(place, layer, begin, rows);
  return rows;
}

Matrix NetworkPass::numbers_at(InterventionPlace place, Index layer) {
  const NetworkConfig& c = network_->config();
  const Index tokens = token_count();
  switch (place) {
    case InterventionPlace::Residual:
      return residual(layer);
    case InterventionPlace::Queries:
    case InterventionPlace::Keys:
      need_stream(layer, 0, tokens);
      return projected(place, layer, 0, tokens);
    case InterventionPlace::Values:
      return values(layer);
    case InterventionPlace::Head:
      return concat(layer);
    case InterventionPlace::Neuron:
      return mlp_hidden(layer, 0, tokens);
    case InterventionPlace::Mlp:
      return mlp_added(layer, 0, tokens);
    case InterventionPlace::Weights:
      break;
  }
  Matrix rows(tokens, c.heads * tokens);
  for (Index head = 0; head < c.heads; ++head)
    rows.middleCols(head * tokens, tokens) = attention_weights(layer, head);
  return rows;
}

void NetworkPass::set_interventions(const Interventions& interventions) {
  const NetworkConfig& c = network_->config();
  std::vector<PreparedIntervention> prepared;
  std::vector<PreparedIntervention*> wanting;
  for (const std::shared_ptr<const Intervention>& one : interventions) {
    PreparedIntervention& added = prepared.emplace_back(one, unit_count(c, one->place));
    if (token_count() > 0) added.set_range(range_of(c, *one, token_count()));
    for (const std::vector<PreparedIntervention>* known : {&interventions_, &former_})
      for (const PreparedIntervention& other : *known)
        added.share_source(other);
  }
  for (PreparedIntervention& one : prepared)
    if (one.lacks_source()) wanting.push_back(&one);
  if (!wanting.empty()) SourceNumbers(network_).find(std::move(wanting));
  const auto same = [](const PreparedIntervention& a, const PreparedIntervention& b) {
    return a.what() == b.what();
  };
  // Later ones change what earlier ones leave: all are applied anew but those that both lists begin with.
  const auto [old_begin, new_begin] =
      std::mismatch(interventions_.begin(), interventions_.end(), prepared.begin(), prepared.end(), same);
  std::vector<std::pair<PatchStage, Index>> affected;
  for (auto one = old_begin; one != interventions_.end(); ++one)
    affected.emplace_back(patch_stage_of(one->what().place), one->what().layer);
  for (auto one = new_begin; one != prepared.end(); ++one)
    affected.emplace_back(patch_stage_of(one->what().place), one->what().layer);
  if (!interventions_.empty()) former_ = std::move(interventions_);
  interventions_ = std::move(prepared);
  for (const auto& [stage, layer] : affected)
    forget_stage(stage, layer, 0);
}

bool NetworkPass::has_interventions(const Interventions& interventions) const {
  return std::equal(interventions_.begin(), interventions_.end(), interventions.begin(), interventions.end(),
                    [](const PreparedIntervention& mine, const std::shared_ptr<const Intervention>& other) {
                      return mine.what() == *other;
                    });
}

std::vector<InterventionRange> NetworkPass::intervention_ranges(Index tokens) const {
  std::vector<InterventionRange> ranges;
  for (const PreparedIntervention& one : interventions_)
    ranges.push_back(range_of(network_->config(), one.what(), tokens));
  return ranges;
}

bool NetworkPass::intervenes(InterventionPlace place, Index layer) const {
  return std::any_of(interventions_.begin(), interventions_.end(),
                     [&](const PreparedIntervention& one) { return one.is_of(place, layer); });
}

void NetworkPass::intervene(InterventionPlace place, Index layer, Index begin, MatrixOut rows) const {
  for (const PreparedIntervention& one : interventions_)
    if (one.is_of(place, layer)) one.apply(begin, rows);
}

}  // namespace headlight
