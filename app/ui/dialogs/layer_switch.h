// Switches between the layers of the file whose arrays were placed last; the model has one of them at a time.
// The arrays read stay in memory, so that another of their layers appears in the frame that requests it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "app/ui/context/ui_context.h"
#include "engine/array_import/array_file.h"
#include "engine/array_import/array_layers.h"
#include "engine/core/newest_job.h"

namespace headlight {

struct LayerPlan {  // how a layer is placed, and the arrays of each layer
  PlacementRequest order;
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
  // A sample of numbers of each layer placed so far: identifies the layer after undo and redo.
  std::vector<std::vector<float>> seen;
  NewestJob<LayerReading> reading;
};

// Starts with layer `plan.at`, which has been placed; fills in ViewState::layers.
void begin_layers(UiContext& ui, LayerSwitchState& state, LayerPlan plan, const ArrayOutcome& placed);
// Handles ViewState::layers: places the requested layer from the arrays in memory or reads it in the
// background, and sends ReplaceLayer; the view does not change. Forgets the layers if another document is
// open. Returns the error if the file can no longer be read.
std::optional<Error> switch_layers(UiContext& ui, LayerSwitchState& state);

}  // namespace headlight
