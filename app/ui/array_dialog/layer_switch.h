// The layers of the file whose arrays were placed last: one at a time in the model, read again when it is
// asked for.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "app/ui/array_dialog/array_file.h"
#include "app/ui/context/ui_context.h"
#include "engine/core/newest_job.h"
#include "engine/placing/array_layers.h"

namespace headlight {

struct LayerPlan {  // how a layer is placed, and from where each of them comes
  ArrayOrder order;
  std::vector<LayerSource> sources;
  std::size_t at = 0;
};

struct LayerReading {
  ArrayOutcome outcome;
  std::size_t layer = 0;
};

struct LayerSwitchState {
  LayerPlan plan;
  // Of each layer that was placed some of its numbers: undo and redo change the layer too.
  std::vector<std::vector<float>> seen;
  NewestJob<LayerReading> reading;
};

// The model now has layer `plan.at`; fills in ViewState::layers.
void begin_layers(UiContext& ui, LayerSwitchState& state, const Model& placed);
// Follows ViewState::layers: reads the layer that is asked for and sends ReplaceModel; keeps the view.
// Returns what is wrong with the file, if it cannot be read any more.
std::optional<Error> switch_layers(UiContext& ui, LayerSwitchState& state);

}  // namespace headlight
