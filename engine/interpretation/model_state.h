// State of an open model: a text and the changes to its pass. A value without derived data.
#pragma once

#include <array>
#include <map>

#include "engine/network/network_pass.h"

namespace headlight {

struct LayerChanges {
  HeadStates heads;
  double temperature = 1;
  std::shared_ptr<const Matrix> allowed;                          // null: the layer's own mask
  std::array<std::shared_ptr<const OwnWeights>, 4> weights = {};  // by Parameter; null: the checkpoint's
  // Compares pointers by address.
  bool operator==(const LayerChanges&) const = default;
};

struct ModelState {
  std::shared_ptr<const Network> network;
  std::vector<std::int32_t> ids;
  std::map<Index, LayerChanges> layers;  // only those that are changed
  std::vector<Patch> patches;
  bool operator==(const ModelState&) const = default;
};

// Brings the pass, which is of the state's network, to the state; what both have in common is not recomputed.
// Throws Error for an invalid text, mask or patch; the pass is then between states, but accepts another
// state.
void take_state(NetworkPass& pass, const ModelState& state);

}  // namespace headlight
