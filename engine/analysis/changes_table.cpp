#include "engine/analysis/changes_table.h"

#include <limits>
#include <utility>

#include "engine/analysis/tables.h"
#include "engine/core/error.h"
#include "engine/interpretation/predictions.h"

namespace headlight {
namespace {

// The changes that are on, without the adapter, which is of the folder.
std::vector<ChangeEntry> changes_on(const OpenModel& work) {
  std::vector<ChangeEntry> entries = list_changes(work);
  std::erase_if(entries,
                [](const ChangeEntry& entry) { return !entry.on || entry.kind == ChangeKind::Adapter; });
  return entries;
}

// Precondition: `entry` is one of changes_on().
ModelChanges only(const OpenModel& work, const ChangeEntry& entry) {
  ModelChanges changes;
  const auto at = static_cast<std::size_t>(entry.at);
  if (entry.kind == ChangeKind::Patch) {
    changes.patches = {work.on.patches[at]};
    return changes;
  }
  if (entry.kind == ChangeKind::Intervention) {
    changes.interventions = {work.on.interventions[at]};
    return changes;
  }
  const LayerChanges& all = work.on.layers.at(entry.layer);
  LayerChanges& one = changes.layers[entry.layer];
  switch (entry.kind) {
    case ChangeKind::Head:
      one.heads.resize(at + 1, HeadState::On);
      one.heads[at] = all.heads[at];
      break;
    case ChangeKind::Setting:
      one.settings[at] = all.settings[at];
      break;
    case ChangeKind::Weights:
      one.weights[at] = all.weights[at];
      break;
    case ChangeKind::Patch:
    case ChangeKind::Intervention:
    case ChangeKind::Adapter:
      break;
  }
  return changes;
}

struct Measured {
  double logit = 0, probability = 0;
  double loss = std::numeric_limits<double>::quiet_NaN();
  std::int32_t likeliest = 0;
};

class Measuring {
 public:
  Measuring(const OpenModel& work, std::optional<std::int32_t> target)
      : work_(work), pass_(work.network), target_(target) {}

  bool has_losses() const { return work_.network->config().causal && !work_.image && work_.ids.size() > 1; }
  std::int32_t target() const { return *target_; }

  // The first call decides the target, if none is chosen.
  Measured with(ModelChanges changes) {
    OpenModel one = work_;
    one.on = std::move(changes);
    take_state(pass_, state_of(one));
    const Index position = predicted_position(*work_.network, pass_.ids());
    const Matrix logits = pass_.logits(position, 1);
    Measured measured;
    measured.likeliest = likeliest(logits.row(0), 1).front().id;
    if (!target_) target_ = measured.likeliest;
    const Prediction prediction = prediction_of(logits.row(0), *target_);
    measured.logit = static_cast<double>(prediction.logit);
    measured.probability = prediction.probability;
    if (has_losses()) measured.loss = mean_loss(token_losses(pass_));
    return measured;
  }

 private:
  const OpenModel& work_;
  NetworkPass pass_;
  std::optional<std::int32_t> target_;
};

}  // namespace

ResultTable changes_table(const OpenModel& work, std::optional<std::int32_t> target) {
  work.network->require_predictions();
  const std::vector<ChangeEntry> entries = changes_on(work);
  if (entries.empty())
    throw Error("the model has no changes that are on", "changes",
                "switch a head off, put numbers into a stage, or change a setting of a layer");
  Measuring measuring(work, target);
  std::vector<std::string> rows = {"without changes"};
  std::vector<Measured> all = {measuring.with({})};
  for (const ChangeEntry& entry : entries) {
    rows.push_back(change_text(work, entry, {}));
    all.push_back(measuring.with(only(work, entry)));
  }
  rows.push_back(entries.size() == 1 ? "with it" : "all together");
  all.push_back(measuring.with(work.on));
  const std::string token = "\"" + work.network->label(measuring.target()) + "\"";
  std::vector<std::string> columns = {"logit of " + token, "change of the logit", "probability of " + token};
  if (measuring.has_losses()) columns.emplace_back("loss of the text");
  Matrix values(static_cast<Index>(all.size()), static_cast<Index>(columns.size()));
  std::vector<std::string> likeliest_tokens;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto row = static_cast<Index>(i);
    values(row, 0) = static_cast<float>(all[i].logit);
    values(row, 1) = static_cast<float>(all[i].logit - all[0].logit);
    values(row, 2) = static_cast<float>(all[i].probability);
    if (values.cols() > 3) values(row, 3) = static_cast<float>(all[i].loss);
    likeliest_tokens.push_back("\"" + work.network->label(all[i].likeliest) + "\"");
  }
  ResultTable table = list_table("changes", "change", std::move(rows), std::move(columns), std::move(values));
  table.remarks = std::move(likeliest_tokens);
  table.remark_title = "likeliest";
  return table;
}

}  // namespace headlight
