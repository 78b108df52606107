// The backward pass through the stages of pairs, one head at a time.
#pragma once

#include <functional>

#include "engine/learning/gradients.h"

namespace headlight {

// What the heads of a pass have in common. Matrices of queries, keys, values and context have their heads
// side by side.
struct PairPass {
  const Layer& layer;
  const Goal& goal;  // for a stage of pairs, or a later one
  double count = 0;  // wanted_count()
  StageSet existing = 0;
  StageSet stored = 0;         // the stages of pairs whose gradients are stored
  bool loss_only = false;      // of a goal of a stage of pairs: no gradient is wished for
  std::vector<Matrix>& noise;  // by sequence * H + head; empty without dropout
  Workspace& workspace;
  // Empty: overwritten weights pass nothing on. Else called in place of that rule with the gradient by rows
  // of a head's weights from `first` on, with all keys where the head has overwritten ones; it becomes that
  // by the weights as they were. By several threads at once.
  std::function<void(Index head, Index first, MatrixOut gradient)> through_weights = {};
};

// One head of one sequence.
struct PairHead {
  Index sequence = 0, head = 0;
  MatrixRef queries, keys, values;  // T x d_k, Tk x d_k, Tk x d_v; empty if they do not exist
  MatrixRef context_gradient;       // T x d_v; empty for a goal of a stage of pairs
};

// Adds dL/d(query), dL/d(key) and dL/d(value) of a head to the last three arguments, of the shapes of those
// inputs, and stores the gradients of the requested stages, whose matrices are sized and zero. Returns the
// loss of the head's rows if the goal is of a stage of pairs, else 0. With loss_only that is all. Throws
// Error as LayerPass::backward().
double pair_backward(const PairPass& pass, const PairHead& head, Gradients& stored, MatrixOut queries,
                     MatrixOut keys, MatrixOut values);

}  // namespace headlight
