// A layer in one state after another, as heatmaps that move: while it is trained, or on the way from one
// session to another.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "app/export/animation_file.h"
#include "app/export/figure_choice.h"
#include "engine/learning/layer_training.h"

namespace headlight {

struct ShownState {
  Layer layer;
  std::string caption;  // below the title
};

struct ShownStates {
  std::size_t count = 0;  // 2 or more
  // May be asked for in any order, and more than once, so that they need not all lie in memory.
  std::function<ShownState(std::size_t index)> at;
};

// How long states are shown if no length is chosen.
inline constexpr double kStatesSeconds = 4;
// As many states as are shown in that time at the chosen rate; 2 at least.
std::size_t state_count(const AnimationOptions& options);

// From `a` to `b`: each state is computed from inputs that lie between theirs (layer_between). `a_name` and
// `b_name` stand in the captions. Throws Error that lists what differs and is no number, and if nothing
// differs.
ShownStates states_between(std::shared_ptr<const Layer> a, std::shared_ptr<const Layer> b,
                           const std::string& a_name, const std::string& b_name, std::size_t count);

// The heatmaps on the way from the kept state to the session, as they are ordered.
struct WayAnimation {
  StageChoice choice;
  AnimationOptions options;
};

// Every k-th step of a training, the present one and `last` among them, so that there are at most `most`
// states. Throws Error unless first_step() <= present step < last <= last_step().
ShownStates states_of_training(std::shared_ptr<LayerTraining> training, Index last, std::size_t most);

// The heatmaps of the choice, of each state one frame, with colours that range over all of them. The first
// and the last one last a second longer. Throws Error if a size, length or rate is out of bounds, if a state
// has no such stage, head, sequence or part, or if the heatmaps have no room.
Animation animation_of_states(const ShownStates& states, const StageChoice& choice,
                              const AnimationOptions& options);

}  // namespace headlight
