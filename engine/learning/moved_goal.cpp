#include "engine/learning/moved_goal.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "engine/core/error.h"

namespace headlight {
namespace {

constexpr float kUnwanted = std::numeric_limits<float>::quiet_NaN();

// For each line of an axis after the change its index in the target before, or kNewLine.
using Sources = std::vector<Index>;

bool same_axis(Index has, Index count) {
  return has == count || has == 1;
}

TrackedLines tokens_of(const Layer& layer, bool of_keys) {
  const bool apart = of_keys && !layer.self_attention();
  return {apart ? layer.lineage.keys : layer.lineage.tokens, apart ? layer.key_count() : layer.token_count()};
}

Sources sources_of(const Layer& before, const Layer& after, bool of_keys) {
  const TrackedLines then = tokens_of(before, of_keys), now = tokens_of(after, of_keys);
  Sources sources;
  for (Index line = 0; line < now.count; ++line)
    sources.push_back(same_line(now, line, then).value_or(kNewLine));
  return sources;
}

Matrix moved(const Matrix& target, const Sources& rows, const Sources& columns, float of_new_column) {
  const auto at = [](const Sources& sources, Index line) { return sources[static_cast<std::size_t>(line)]; };
  Matrix made(static_cast<Index>(rows.size()), static_cast<Index>(columns.size()));
  for (Index row = 0; row < made.rows(); ++row)
    for (Index column = 0; column < made.cols(); ++column)
      made(row, column) = at(rows, row) == kNewLine         ? kUnwanted
                          : at(columns, column) == kNewLine ? of_new_column
                                                            : target(at(rows, row), at(columns, column));
  return made;
}

Sources all_of(Index count) {
  Sources sources;
  for (Index line = 0; line < count; ++line)
    sources.push_back(line);
  return sources;
}

}  // namespace

bool target_fits(const Layer& layer, const Goal& goal) {
  const auto [sequences, heads, rows, columns] = target_axes(layer, goal.stage);
  const PairArray& target = goal.target;
  return !target.empty() && same_axis(target.sequences, sequences) && same_axis(target.heads, heads) &&
         same_axis(target.rows(), rows) && same_axis(target.columns(), columns);
}

std::optional<Goal> moved_goal(const Layer& before, const Goal& goal, const Layer& after) {
  const StageInfo& info = stage_info(goal.stage);
  if (!stage_exists(after, goal.stage)) return std::nullopt;
  const auto [sequences, heads, rows, columns] = target_axes(after, goal.stage);
  const bool by_tokens = info.columns == StageColumns::Tokens;
  const PairArray& target = goal.target;
  if (!same_axis(target.sequences, sequences) || !same_axis(target.heads, heads) ||
      (!by_tokens && !same_axis(target.columns(), columns)))
    return std::nullopt;
  const Sources moved_rows =
      target.rows() == 1 ? all_of(1) : sources_of(before, after, info.rows == StageRows::Keys);
  const Sources moved_columns =
      by_tokens && target.columns() > 1 ? sources_of(before, after, true) : all_of(target.columns());
  Goal made = goal;
  for (Matrix& matrix : made.target.matrices)
    matrix = moved(matrix, moved_rows, moved_columns, goal.loss == Loss::CrossEntropy ? 0.0f : kUnwanted);
  try {
    validate_goal(after, made);
  } catch (const Error&) {  // nothing is left, or something is wanted of a closed pair
    return std::nullopt;
  }
  return made;
}

}  // namespace headlight
