#include "engine/learning/weight_goals.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "engine/learning/goal_loss.h"
#include "engine/learning/moved_goal.h"
#include "engine/views/head_measures.h"

namespace headlight {
namespace {

constexpr float kNothing = std::numeric_limits<float>::quiet_NaN();

// The heads that a goal for one head or for all of them is about.
struct MeantHeads {
  Index first = 0, end = 1;
  bool all = true;
};

MeantHeads meant_heads(const Layer& layer, std::optional<Index> head) {
  if (head) return {*head, *head + 1, false};
  return {0, layer.head_count(), true};
}

// Whether something may be wanted of the key in every meant head of every sequence.
bool open_in_all(const Layer& layer, const MeantHeads& heads, Index query, Index key) {
  for (Index sequence = 0; sequence < layer.sequence_count(); ++sequence)
    for (Index head = heads.first; head < heads.end; ++head)
      if (!is_wantable(layer, {Stage::Weights, sequence, head, query, key})) return false;
  return true;
}

// The goal with these shares in the meant heads; rows that want something of a closed pair are left out.
std::optional<Goal> goal_of_shares(const Layer& layer, Matrix shares, std::optional<Index> head) {
  const MeantHeads heads = meant_heads(layer, head);
  bool any = false;
  for (Index query = 0; query < shares.rows(); ++query) {
    bool holds = shares.row(query).allFinite() && shares.row(query).sum() > 0;
    for (Index key = 0; holds && key < shares.cols(); ++key)
      holds = shares(query, key) == 0 || open_in_all(layer, heads, query, key);
    if (!holds) shares.row(query).setConstant(kNothing);
    any = any || holds;
  }
  if (!any) return std::nullopt;
  Goal goal;
  goal.target.sequences = 1;
  goal.target.heads = heads.all ? 1 : layer.head_count();
  goal.target.matrices.assign(static_cast<std::size_t>(goal.target.heads),
                              Matrix::Constant(shares.rows(), shares.cols(), kNothing));
  goal.target.matrices[heads.all ? 0 : static_cast<std::size_t>(*head)] = std::move(shares);
  return goal;
}

void want_keys(const TokenMatches& tokens, GoalPattern pattern, Index query, Eigen::Ref<Matrix> row) {
  const Index place = tokens.place(query), keys = tokens.keys();
  switch (pattern) {
    case GoalPattern::PreviousToken:
      if (place > 0) row(0, place - 1) = 1;
      return;
    case GoalPattern::FirstToken:
      row(0, 0) = 1;
      return;
    case GoalPattern::Itself:
      row(0, place) = 1;
      return;
    case GoalPattern::SameTokenBefore:
      for (const Index key : tokens.earlier(query))
        row(0, key) = 1;
      return;
    case GoalPattern::Induction:
      for (const Index key : tokens.earlier(query))
        if (key + 1 < keys) row(0, key + 1) = 1;
      return;
    case GoalPattern::Uniform:
      return;  // of all queries, placed or not: see pattern_goal()
  }
}

// The target with all four axes.
PairArray whole_target(const Layer& layer, const PairArray& spread) {
  PairArray whole = nothing_wanted(layer, Stage::Weights);
  for (Index sequence = 0; sequence < whole.sequences; ++sequence)
    for (Index head = 0; head < whole.heads; ++head) {
      Matrix& matrix = whole.matrices[static_cast<std::size_t>(whole.index(sequence, head))];
      for (Index query = 0; query < matrix.rows(); ++query)
        for (Index key = 0; key < matrix.cols(); ++key)
          matrix(query, key) = spread.at(sequence, head, query, key);
    }
  return whole;
}

void paint_row(const Layer& layer, const CellAddress& weight, GoalBrush brush, Matrix& target) {
  const bool wanted = target_row_sum(target, weight.row, target.cols()) > 0;
  auto row = target.row(weight.row);
  switch (brush) {
    case GoalBrush::AttendHere:
      if (!wanted) row.setZero();
      row(weight.column) = 1;
      return;
    case GoalBrush::NotHere:
      for (Index key = 0; !wanted && key < row.size(); ++key)
        row(key) =
            is_wantable(layer, {Stage::Weights, weight.sequence, weight.head, weight.row, key}) ? 1.0f : 0.0f;
      row(weight.column) = 0;
      if (!(row.sum() > 0)) row.setConstant(kNothing);
      return;
    case GoalBrush::DoNotCare:
      row.setConstant(kNothing);
      return;
  }
}

}  // namespace

const std::array<GoalPatternInfo, kGoalPatternCount>& goal_pattern_table() {
  static const std::array<GoalPatternInfo, kGoalPatternCount> kTable = {{
      {GoalPattern::PreviousToken, "previous_token", "previous token",
       "Each token attends to the one just before it", "there is one token"},
      {GoalPattern::FirstToken, "first_token", "first token", "Each token attends to the first one",
       "the mask closes the first token"},
      {GoalPattern::Itself, "itself", "itself", "Each token attends to itself",
       "the mask closes the diagonal"},
      {GoalPattern::SameTokenBefore, "same_token_before", "same token before",
       "Each token attends to the earlier places where it stands", "no token stands twice"},
      {GoalPattern::Induction, "induction", "induction",
       "Each token attends to what followed it the last times it stood there", "no token stands twice"},
      {GoalPattern::Uniform, "uniform", "all alike",
       "Each token attends equally to every token that it may attend to", "the mask closes all pairs"},
  }};
  return kTable;
}

std::optional<Goal> pattern_goal(const Layer& layer, GoalPattern pattern, std::optional<Index> head) {
  std::optional<Index> offset;
  if (layer.queries_among_keys()) offset = layer.query_offset(0);
  const TokenMatches tokens(layer.tokens, layer.key_labels(), offset);
  const MeantHeads heads = meant_heads(layer, head);
  Matrix shares = Matrix::Zero(layer.token_count(), layer.key_count());
  for (Index query = 0; query < shares.rows(); ++query) {
    if (pattern == GoalPattern::Uniform) {
      for (Index key = 0; key < shares.cols(); ++key)
        if (open_in_all(layer, heads, query, key)) shares(query, key) = 1;
    } else if (tokens.placed(query) || pattern == GoalPattern::FirstToken) {
      want_keys(tokens, pattern, query, shares.middleRows(query, 1));
    }
  }
  return goal_of_shares(layer, std::move(shares), head);
}

std::optional<Goal> likeness_goal(const Layer& layer, const Matrix& weights, std::optional<Index> head) {
  Matrix shares = (weights.array() < 0.0f).select(0.0f, weights);
  return goal_of_shares(layer, std::move(shares), head);
}

std::optional<Goal> painted_goal(const Layer& layer, const Goal* before, const CellAddress& weight,
                                 GoalBrush brush) {
  const bool continues = before && before->stage == Stage::Weights && before->loss == Loss::CrossEntropy &&
                         target_fits(layer, *before);
  if (brush != GoalBrush::DoNotCare && !is_wantable(layer, weight))
    return continues ? std::optional<Goal>(*before) : std::nullopt;
  Goal goal;
  goal.target = continues ? whole_target(layer, before->target) : nothing_wanted(layer, Stage::Weights);
  Matrix& target =
      goal.target.matrices[static_cast<std::size_t>(goal.target.index(weight.sequence, weight.head))];
  paint_row(layer, weight, brush, target);
  if (wanted_count(layer, goal) == 0) return std::nullopt;
  return goal;
}

double share_reached(const Layer& layer, const Goal& goal, double loss) {
  return std::exp(std::min(0.0, least_loss(layer, goal) - loss));
}

}  // namespace headlight
