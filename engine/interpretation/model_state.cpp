#include "engine/interpretation/model_state.h"

#include <numeric>

namespace headlight {
namespace {

// Of one side, with the changes of its layers other than patches.
void take_layers(NetworkPass& pass, const ModelState& state, Side side) {
  const LayerChanges none;
  for (Index layer = 0; layer < config_of(state.network->config(), side).layers; ++layer) {
    const LayerPlace place(side, layer);
    const auto found = state.layers.find(place);
    const LayerChanges& changes = found == state.layers.end() ? none : found->second;
    pass.set_heads(place, changes.heads);
    pass.set_settings(place, changes.settings);
    for (const Parameter parameter : kParameters)
      pass.set_weights(place, parameter, changes.weights[static_cast<std::size_t>(parameter)]);
  }
}

// The input and all changes of the side whose layers a pass computes itself. whole: the pass of the model.
void take_side(NetworkPass& whole, const ModelState& state, Side side) {
  NetworkPass& pass = whole.of_side(side);
  const std::vector<Patch> patches = patches_of(state.patches, side);
  const Interventions interventions = side == Side::Own ? state.interventions : Interventions();
  // Clears patches and interventions first: those of the previous state need not fit the text.
  if (pass.patches() != patches) pass.set_patches({});
  if (!pass.has_interventions(interventions)) pass.set_interventions({});
  if (state.image)
    pass.set_image(state.image->pixels);
  else
    pass.set_ids(side == Side::Encoder ? state.source_ids : state.ids);
  take_layers(whole, state, side);
  pass.set_patches(patches);
  pass.set_interventions(interventions);
}

}  // namespace

std::vector<Patch> patches_of(const std::vector<Patch>& patches, Side side) {
  std::vector<Patch> own;
  for (const Patch& patch : patches)
    if (patch.side == side) own.push_back(patch);
  for (Patch& patch : own)
    patch.side = Side::Own;
  return own;
}

std::vector<std::int32_t> image_ids(const Network& network) {
  std::vector<std::int32_t> ids(static_cast<std::size_t>(network.config().positions));
  std::iota(ids.begin(), ids.end(), 0);
  return ids;
}

void take_state(NetworkPass& pass, const ModelState& state) {
  if (pass.encoder()) {
    take_side(pass, state, Side::Encoder);
    pass.follow_encoder();
  }
  take_side(pass, state, Side::Own);
  // Last: masks and biases of cross-attention have the lengths of both texts.
  if (pass.encoder()) take_layers(pass, state, Side::Cross);
}

}  // namespace headlight
