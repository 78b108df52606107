// State of an open model: a text, or an image, and the changes to its pass. A value without derived data.
#pragma once

#include <array>
#include <map>

#include "engine/interpretation/open_image.h"
#include "engine/network/network_pass.h"

namespace headlight {

struct LayerChanges {
  HeadStates heads;
  OwnSettings settings = {};
  std::array<std::shared_ptr<const OwnWeights>, 4> weights = {};  // by Parameter; null: the checkpoint's
  // Compares pointers by address.
  bool operator==(const LayerChanges&) const = default;
};

// What a model reads. Compares the image by address.
struct ModelInput {
  // Of the side that predicts; of an image the numbers of its tokens.
  std::vector<std::int32_t> ids;
  std::vector<std::int32_t> source_ids;    // of a model of two sides: what its encoder reads; else empty
  std::shared_ptr<const OpenImage> image;  // of a model of images; else null
  bool operator==(const ModelInput&) const = default;
};

inline bool same_input(const ModelInput& a, const ModelInput& b) {
  return a == b;
}

struct ModelState : ModelInput {
  std::shared_ptr<const Network> network;
  std::map<LayerPlace, LayerChanges> layers;  // only those that are changed
  std::vector<Patch> patches;
  Interventions interventions = {};  // of a model of one side; compared by address
  bool operator==(const ModelState&) const = default;
};

// The patches of a side, as the pass over it takes them.
std::vector<Patch> patches_of(const std::vector<Patch>& patches, Side side);

// The numbers that a pass has for the tokens of an image: 0, 1, ...
std::vector<std::int32_t> image_ids(const Network& network);

// Brings the pass, which is of the state's network, to the state; what both have in common is not recomputed.
// Throws Error for an invalid text, setting or patch; the pass is then between states, but accepts another
// state.
void take_state(NetworkPass& pass, const ModelState& state);

}  // namespace headlight
