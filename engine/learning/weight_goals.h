// Goals for the weights: the patterns of well-known heads, the weights of another head, and painting.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "engine/learning/goal.h"

namespace headlight {

// p: the position of the query's token among the keys, see TokenMatches in engine/views/head_measures.h,
// which names the sources of these patterns. Where a query has several such keys, each gets an equal share.
enum class GoalPattern : std::uint8_t {
  PreviousToken,    // key p - 1, for p >= 1
  FirstToken,       // key 0
  Itself,           // key p
  SameTokenBefore,  // the keys before p that have the query's token
  Induction,        // the keys after those
  Uniform,          // every key that the query may attend to
};
inline constexpr std::size_t kGoalPatternCount = 6;

struct GoalPatternInfo {
  GoalPattern pattern;
  std::string_view name;   // identifier: "previous_token"
  std::string_view label;  // in the window: "previous token"
  std::string_view what;   // a sentence without a full stop
  std::string_view none;   // why a layer has no such goal, after "no goal:"
};
const std::array<GoalPatternInfo, kGoalPatternCount>& goal_pattern_table();

// The goal, as cross entropy, that all heads, or one, attend in the pattern. Nothing is wanted of queries
// without such a key, or whose keys a mask or a bias closes in a head that is meant. None if that leaves
// nothing.
std::optional<Goal> pattern_goal(const Layer& layer, GoalPattern pattern,
                                 std::optional<Index> head = std::nullopt);

// The goal that all heads, or one, have these weights (Tq x Tk, as of another head or state): a row that is
// not finite, sums to 0 or wants something of a closed pair is left out. None if that leaves nothing.
std::optional<Goal> likeness_goal(const Layer& layer, const Matrix& weights,
                                  std::optional<Index> head = std::nullopt);

// AttendHere: the query shall attend to the key; of several such keys, to each equally. NotHere: to this key
// not at all, to the others equally if none was chosen before. DoNotCare: nothing is wanted of the query.
enum class GoalBrush : std::uint8_t { AttendHere, NotHere, DoNotCare };

// The goal after a brush has touched a weight. `before`: null, or another goal; what it wants of other stages
// is dropped. None if nothing is left that is wanted. A closed pair is left as it is.
std::optional<Goal> painted_goal(const Layer& layer, const Goal* before, const CellAddress& weight,
                                 GoalBrush brush);

// How far the goal of a cross entropy is reached, 0 to 1: e to the power of least_loss() - loss, which for
// rows that want one key each is the geometric mean of the weights on them.
double share_reached(const Layer& layer, const Goal& goal, double loss);

}  // namespace headlight
