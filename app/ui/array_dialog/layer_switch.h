// The layers of the file whose arrays were placed last: one at a time in the model. What was read of the file
// is kept, so that a layer of it is there in the frame that asks for it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "app/ui/context/ui_context.h"
#include "engine/array_import/array_layers.h"
#include "engine/choosing/array_file.h"
#include "engine/core/newest_job.h"

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
  std::uint64_t opening = 0;                 // Document::opening() that the layers belong to
  Projection projection = Projection::None;  // of every layer
  // Of each layer that was placed some of its numbers: undo and redo change the layer too.
  std::vector<std::vector<float>> seen;
  NewestJob<LayerReading> reading;
};

// The model is to have layer `plan.at`, as it was placed; fills in ViewState::layers.
void begin_layers(UiContext& ui, LayerSwitchState& state, LayerPlan plan, const ArrayOutcome& placed);
// Follows ViewState::layers: takes the layer that is asked for out of what was read, or reads it beside the
// window, and sends ReplaceModel; keeps the view. In another document there are no layers.
// Returns what is wrong with the file, if it cannot be read any more.
std::optional<Error> switch_layers(UiContext& ui, LayerSwitchState& state);

}  // namespace headlight
