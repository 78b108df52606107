// Random goals of every stage of a layer, and random settings of its training.
#pragma once

#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "engine/core/error.h"
#include "engine/learning/goal.h"
#include "engine/learning/training_settings.h"
#include "tests/support/random_models.h"

namespace headlight_test {

// The stages that a goal may have.
inline std::vector<headlight::Stage> goal_stages(const headlight::Layer& layer) {
  using namespace headlight;
  std::vector<Stage> stages = stages_in_use(layer);
  const Projection projection = layer.attention.projection;
  if (projection == Projection::Given || projection == Projection::Weights)
    std::erase(stages, Stage::Embeddings);
  return stages;
}

// Nothing is wanted of one number in five; each axis is spread by chance.
inline headlight::PairArray random_target(Dice& dice, const headlight::Layer& layer,
                                          const headlight::Goal& goal) {
  using namespace headlight;
  const auto axes = target_axes(layer, goal.stage);
  const bool entropy = goal.loss == Loss::CrossEntropy;
  const auto spread = [&](Index count) { return dice.chance(0.2) ? 1 : count; };
  PairArray target;
  target.sequences = spread(axes[0]);
  target.heads = spread(axes[1]);
  const Index rows = spread(axes[2]), columns = spread(axes[3]);
  for (Index i = 0; i < target.sequences * target.heads; ++i) {
    Matrix matrix = dice.matrix(rows, columns);
    if (entropy) matrix = matrix.cwiseAbs();
    for (Index cell = 0; cell < matrix.size(); ++cell)
      if (dice.chance(0.2))
        matrix.data()[cell] = entropy && dice.chance(0.9) ? 0.0f : std::numeric_limits<float>::quiet_NaN();
    target.matrices.push_back(std::move(matrix));
  }
  return target;
}

// Wants nothing of pairs that the mask or the bias closes. The target has all axes.
inline void want_open_pairs(const headlight::Layer& layer, headlight::Goal& goal) {
  using namespace headlight;
  const auto axes = target_axes(layer, goal.stage);
  PairArray target;
  target.sequences = axes[0];
  target.heads = axes[1];
  const float nothing = goal.loss == Loss::CrossEntropy ? 0.0f : std::numeric_limits<float>::quiet_NaN();
  for (Index b = 0; b < axes[0]; ++b)
    for (Index h = 0; h < axes[1]; ++h) {
      Matrix matrix(axes[2], axes[3]);
      for (Index i = 0; i < matrix.rows(); ++i)
        for (Index j = 0; j < matrix.cols(); ++j) {
          const bool closed = !layer.may_attend(i, j, b, h) ||
                              (!layer.score_bias.empty() && std::isinf(layer.score_bias.at(b, h, i, j)));
          matrix(i, j) = closed ? nothing : goal.target.at(b, h, i, j);
        }
      target.matrices.push_back(std::move(matrix));
    }
  goal.target = std::move(target);
}

// A valid goal; none if the layer has no number of which something could be wanted.
inline std::optional<headlight::Goal> random_goal(Dice& dice, const headlight::Layer& layer) {
  using namespace headlight;
  for (int attempt = 0; attempt < 20; ++attempt) {
    Goal goal;
    goal.stage = dice.chance(0.3) && stage_exists(layer, Stage::Weights) ? Stage::Weights
                                                                         : dice.pick(goal_stages(layer));
    goal.loss = goal.stage == Stage::Weights && dice.chance(0.5) ? Loss::CrossEntropy : Loss::Squared;
    goal.target = random_target(dice, layer, goal);
    if (is_pair(goal.stage) && layer.attention.projection != Projection::Weights &&
        (goal.loss == Loss::CrossEntropy || goal.stage == Stage::Masked || goal.stage == Stage::Biased))
      want_open_pairs(layer, goal);
    try {
      validate_goal(layer, goal);
      return goal;
    } catch (const Error&) {  // it wants nothing
    }
  }
  return std::nullopt;
}

inline headlight::TrainingSettings random_training(Dice& dice, const headlight::Layer& layer) {
  using namespace headlight;
  TrainingSettings training;
  training.optimizer =
      dice.pick<OptimizerKind>({OptimizerKind::Sgd, OptimizerKind::Adam, OptimizerKind::AdamW});
  training.rate = dice.real(0, 1);
  training.momentum = dice.real(0, 1);
  training.betas = {dice.real(0, 0.9), dice.real(0.5, 0.999)};
  training.epsilon = dice.real(1e-9, 1e-3);
  training.decay = dice.real(0, 0.1);
  for (const TrainedPart part : kTrainedParts)
    if (has_part(layer, part) && dice.chance(0.4)) training.parameters.push_back(part);
  training.steps = dice.below(100);
  return training;
}

}  // namespace headlight_test
