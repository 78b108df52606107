// The choice of a goal: the patterns of well-known heads, the weights of another head, the numbers of the
// kept state.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/ui/context/ui_context.h"

namespace headlight {

// One goal that can be chosen.
struct GoalOffer {
  std::string id, label, what;
  std::optional<GoalPattern> pattern = {};  // neither this nor one of the others: no goal at all
  std::optional<Index> like = {};           // the weights of this head
  std::optional<Stage> kept = {};           // the numbers that the kept state has in this stage
};

// All that can be chosen for the model: no goal, the patterns, the heads, and the kept numbers of the stage
// that is shown.
std::vector<GoalOffer> goal_offers(const UiContext& ui);

// The goal of an offer for all heads or for one; null for "none". Throws Error with the reason if there is no
// such goal.
std::shared_ptr<const Goal> offered_goal(const UiContext& ui, const GoalOffer& offer,
                                         std::optional<Index> head);

// How the present goal is called: "previous token", "previous token of head 1", "painted", "output" for a
// goal of another stage, "no goal". Remembers the name for as long as the goal is the same object.
class GoalName {
 public:
  const std::string& of(const UiContext& ui);

 private:
  std::weak_ptr<const Goal> goal_;
  std::uint64_t opening_ = 0;
  std::string name_;
};

}  // namespace headlight
