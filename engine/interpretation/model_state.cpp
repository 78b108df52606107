#include "engine/interpretation/model_state.h"

namespace headlight {

void take_state(NetworkPass& pass, const ModelState& state) {
  // Clears the patches first: those of the previous state need not fit the text.
  if (pass.patches() != state.patches) pass.set_patches({});
  pass.set_ids(state.ids);
  const LayerChanges none;
  for (Index layer = 0; layer < pass.network().config().layers; ++layer) {
    const auto found = state.layers.find(layer);
    const LayerChanges& changes = found == state.layers.end() ? none : found->second;
    pass.set_heads(layer, changes.heads);
    pass.set_weighing(layer, changes.temperature, changes.allowed);
    for (const Parameter parameter : kParameters)
      pass.set_weights(layer, parameter, changes.weights[static_cast<std::size_t>(parameter)]);
  }
  pass.set_patches(state.patches);
}

}  // namespace headlight
