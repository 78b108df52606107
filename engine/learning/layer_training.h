// The training of one attention layer: steps of an optimizer towards a goal, back to every step taken, and on
// another way after an edit. The same steps give the same bits, however they are reached.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/learning/goal.h"
#include "engine/learning/loss_curve.h"
#include "engine/learning/trained_numbers.h"
#include "engine/learning/training_history.h"
#include "engine/learning/training_settings.h"

namespace headlight {

// Why no further step can be taken.
struct Divergence {
  Index step = 0;      // the one that was not taken; or the first one, whose loss is not finite
  std::string reason;  // "the loss would not be finite", "query, row 2, column 1, would not be finite"
};

// The state after a step is the model with the numbers after it, its loss, and what the optimizer remembers.
// Steps count from settings.steps. The noise of dropout is drawn once, so that each step has the same. For
// one thread at a time.
class LayerTraining {
 public:
  // Throws Error if the model, the goal or the settings are not valid, as LayerPass does, and if there is
  // nothing to train.
  LayerTraining(Layer layer, Goal goal, TrainingSettings settings,
                const TrainingHistory::Limits& limits = {});
  ~LayerTraining();

  // The state at the present step, whose number is settings().steps.
  const Layer& layer() const;
  const Goal& goal() const;
  const TrainingSettings& settings() const;
  double loss() const { return loss_; }

  Index step_number() const { return state_.step; }      // the present one
  Index first_step() const { return history_.first(); }  // the earliest one to go back to
  Index last_step() const { return last_; }              // the farthest one taken
  // The loss after every step, up to the last one.
  const LossCurve& curve() const { return curve_; }
  // Set as soon as a step would make the loss or a parameter infinite or NaN, or leave the goal's loss
  // undefined: that step is not taken.
  const std::optional<Divergence>& divergence() const { return divergence_; }

  // Goes to the next step, which is computed if it was not taken before, unless training has diverged there.
  // Returns the loss after it. Cost: a forward and a backward pass.
  double step();
  // Goes to a step from first_step() to last_step(); others are clamped. Cost: the steps from the checkpoint
  // before it, at most 1/64 of those taken unless they exceed the memory of the history; none for the next
  // step but its own.
  void seek(Index step);

  // Edits the state of the present step, whose later steps are forgotten. Throws Error as the constructor,
  // and changes nothing then. The optimizer keeps what it remembers unless it is another one or the trained
  // matrices are others. settings.steps is ignored.
  void branch(Layer layer);
  void branch(Layer layer, Goal goal, TrainingSettings settings);

  // How far each trained matrix is from where it began, the farthest first. It began at first_step() or, if
  // an edit made the trained matrices others, at that edit.
  std::vector<Movement> movements() const;

 private:
  struct Run;  // of one setup

  void enter(std::shared_ptr<const TrainingSetup> setup);
  void restore(const TrainingState& checkpoint);
  void move_parameters();
  // One optimizer step and the loss after it. Returns why the result is not finite, or "".
  std::string advance();
  std::string evaluate();
  void begin(std::unique_ptr<Run> run);

  std::unique_ptr<Run> run_;
  TrainingState state_;  // of the present step
  double loss_ = 0;
  ParameterVector gradient_;  // of the present step
  Index last_ = 0;
  TrainingHistory history_;
  LossCurve curve_;
  std::optional<Divergence> divergence_;
};

}  // namespace headlight
