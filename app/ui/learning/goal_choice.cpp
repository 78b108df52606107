#include "app/ui/learning/goal_choice.h"

#include "app/figure/plan/names.h"
#include "engine/attention/evaluator.h"
#include "engine/core/error.h"
#include "engine/learning/number_goals.h"

namespace headlight {
namespace {

// Throws Error if the model is too large to compute while the window waits. state: whose it is.
void require_quick(const Layer& layer, const std::string& state) {
  constexpr Index kMostTokens = 512;
  if (std::max(layer.token_count(), layer.key_count()) > kMostTokens)
    throw Error(state + " has more than " + std::to_string(kMostTokens) + " tokens", "goal",
                "take fewer tokens");
}

// The goal of the kept state's numbers. Throws Error if it has others than the model.
std::optional<Goal> kept_goal(const UiContext& ui, Stage stage) {
  const Layer& kept = *ui.view.baseline.layer;
  require_quick(kept, "the kept state");
  if (!stage_exists(kept, stage))
    throw Error("the kept state has no " + std::string(stage_info(stage).name), "goal", "show another stage");
  const Evaluator evaluator = evaluate(kept);
  std::vector<Matrix> numbers;
  for (Index sequence = 0; sequence < kept.sequence_count(); ++sequence)
    for (Index head = 0; head < stage_heads(kept, stage); ++head)
      numbers.push_back(evaluator.matrix(stage, sequence, head));
  return stage == Stage::Weights ? same_weights(ui.layer(), std::move(numbers))
                                 : same_numbers(ui.layer(), stage, std::move(numbers));
}

std::string name_of(const UiContext& ui, const Goal& goal) {
  std::string stage(stage_info(goal.stage).name);
  if (goal.stage != Stage::Weights || goal.loss != Loss::CrossEntropy) return stage;
  // Only patterns of models that are small enough to compare in a frame have their names.
  constexpr Index kMostCompared = 512;
  if (ui.layer().key_count() > kMostCompared) return "painted";
  for (const GoalPatternInfo& info : goal_pattern_table()) {
    if (const auto all = pattern_goal(ui.layer(), info.pattern); all && *all == goal)
      return std::string(info.label);
    for (Index head = 0; head < ui.layer().head_count() && ui.layer().head_count() > 1; ++head)
      if (const auto one = pattern_goal(ui.layer(), info.pattern, head); one && *one == goal)
        return std::string(info.label) + " of " + head_name(head, ui.counting());
  }
  return "painted";
}

}  // namespace

std::vector<GoalOffer> goal_offers(const UiContext& ui) {
  std::vector<GoalOffer> offers = {{"none", "no goal", "Nothing is wanted"}};
  for (const GoalPatternInfo& info : goal_pattern_table())
    offers.push_back({std::string(info.name), std::string(info.label), std::string(info.what), info.pattern});
  const Index heads = ui.layer().head_count();
  for (Index head = 0; head < heads && heads > 1; ++head) {
    const std::string name = head_name(head, ui.counting());
    offers.push_back({"like." + std::to_string(head),
                      "as " + name,
                      "The weights that " + name + " has now are what is wanted",
                      {},
                      head});
  }
  const Stage stage = ui.view.focused_stage == Stage::Dropped ? Stage::Weights : ui.view.focused_stage;
  if (ui.view.baseline.layer) {
    const std::string name(stage_info(stage).name);
    offers.push_back({"kept",
                      name + " as kept",
                      "The " + name + " that the kept state has are what is wanted",
                      {},
                      {},
                      stage});
  }
  return offers;
}

std::shared_ptr<const Goal> offered_goal(const UiContext& ui, const GoalOffer& offer,
                                         std::optional<Index> head) {
  std::optional<Goal> goal;
  if (offer.pattern) {
    goal = pattern_goal(ui.layer(), *offer.pattern, head);
    const auto& info = goal_pattern_table()[static_cast<std::size_t>(*offer.pattern)];
    if (!goal)
      throw Error("there is nothing to want: " + std::string(info.none), "goal", "choose another goal");
  } else if (offer.like) {
    require_quick(ui.layer(), "the text");
    const Matrix weights = evaluate(ui.layer()).matrix(Stage::Weights, ui.view.sequence, *offer.like);
    goal = likeness_goal(ui.layer(), weights, head);
    if (!goal) throw Error("what that head attends to is closed elsewhere", "goal", "choose another goal");
  } else if (offer.kept) {
    goal = kept_goal(ui, *offer.kept);
    if (!goal)
      throw Error("the kept state has another shape, or what it has is closed by the mask", "goal",
                  "keep a state of the same tokens, heads and widths");
  }
  return goal ? std::make_shared<const Goal>(*std::move(goal)) : nullptr;
}

const std::string& GoalName::of(const UiContext& ui) {
  const auto& goal = ui.document.session().goal;
  const std::uint64_t opening = ui.document.opening();
  if (!name_.empty() && goal_.lock() == goal && opening_ == opening && goal) return name_;
  goal_ = goal;
  opening_ = opening;
  name_ = goal ? name_of(ui, *goal) : "no goal";
  return name_;
}

}  // namespace headlight
