// What is open of a model: a text, and what is changed on its way. A value; nothing derived.
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
  bool operator==(const LayerChanges&) const =
      default;  // of what pointers point to: whether they are the same
};

struct ModelState {
  std::shared_ptr<const Network> network;
  std::vector<std::int32_t> ids;
  std::map<Index, LayerChanges> layers;  // those that are changed
  std::vector<Patch> patches;
  bool operator==(const ModelState&) const = default;
};

// Makes the pass, which is of the state's network, that of the state: what both have in common stays. Throws
// Error for a text, a mask or a patch that cannot be; the pass is then partly that of the state, and good for
// another one.
void take_state(NetworkPass& pass, const ModelState& state);

}  // namespace headlight
