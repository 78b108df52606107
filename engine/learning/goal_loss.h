// The loss of a goal over some rows of its stage, its gradient there, and the least loss that there can be.
#pragma once

#include "engine/learning/goal.h"

namespace headlight {

// The rows of one matrix of the goal's stage from row `first` on.
struct GoalRows {
  const Layer& layer;
  const Goal& goal;
  double count = 0;  // wanted_count(layer, goal)
  Index sequence = 0, head = 0, first = 0;
};

// The share of these rows in the loss. x: rows of the stage, all its columns; gradient: of the same shape,
// dL/dx, with 0 where nothing is wanted. A number x that is not finite makes the loss so.
double squared_loss(const GoalRows& at, const MatrixRef& x, MatrixOut gradient);

// The share of these rows in the loss CrossEntropy. weights, masked: rows of these stages, all columns;
// masked may be empty for given weights. shares: of the same shape, the target divided by its row's sum and
// by the count, with 0 where nothing is wanted; dL/d(weight) is -share / weight. The logarithm of a softmax's
// weight that is too small for float32 is computed from the masked scores. Throws Error if something is
// wanted of another weight that is not above zero.
double cross_entropy_loss(const GoalRows& at, const MatrixRef& weights, const MatrixRef& masked,
                          MatrixOut shares);

// The least loss that the target allows: with CrossEntropy the mean entropy of its rows, which weights equal
// to them have, else 0.
double least_loss(const Layer& layer, const Goal& goal);

}  // namespace headlight
