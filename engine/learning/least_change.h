// The least change of some parameters that reaches a goal, as when a beam of a picture is pulled to another
// word. By L-BFGS (Nocedal 1980) with backtracking, from a start whose gradients span all steps, so that what
// the goal does not depend on stays where it is.
#pragma once

#include <vector>

#include "engine/learning/goal.h"
#include "engine/learning/trained_numbers.h"
#include "engine/learning/training_settings.h"

namespace headlight {

struct LeastChangeRequest {
  std::vector<TrainedPart> parameters;  // that may change; empty: all weights that the layer uses
  // Reached: the loss is at most so far above the least that the target allows (least_loss(),
  // engine/learning/goal_loss.h).
  double tolerance = 1e-3;
  // What is minimised is the loss, plus half of this times |p - start|^2 / |start|^2.
  double distance_weight = 1e-3;
  // The most forward and backward passes, which is what the time is spent on. With fewer than about 15 a call
  // may end before it has found a step.
  int passes = 30;
};

struct LeastChange {
  double loss = 0;       // of the goal alone
  double above = 0;      // least_loss()
  bool reached = false;  // above <= tolerance
  bool settled = false;  // no step lowers what is minimised: more passes from here do not help
  int passes = 0;
  std::vector<Movement> movements;  // from the start, the farthest first
};

// Moves the parameters of `layer` towards the goal, and stops as soon as it is reached or after so many
// passes. start: the layer that distances are measured from, of the same shapes and settings. layer: in, the
// initial point, a copy of `start` or the result of an earlier call to resume; out, the result. Only a copy
// of `start` makes it depend on `start` and the goal alone. Throws Error as LayerTraining does. The numbers
// stay finite.
LeastChange change_least(const Layer& start, Layer& layer, const Goal& goal,
                         const LeastChangeRequest& request);

}  // namespace headlight
