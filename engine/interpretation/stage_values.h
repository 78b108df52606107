// Values of a pass at a place that can be overwritten, for use as a patch of another pass.
#pragma once

#include "engine/network/network_pass.h"

namespace headlight {

struct PatchPlace {
  PatchStage stage = PatchStage::Residual;
  Index layer = 0;
  Index head = 0;  // in stages with heads; for Keys and Values, a head of keys and values
  Side side = Side::Own;
  bool operator==(const PatchPlace&) const = default;
};

// T rows, of one head if the stage has heads. Precondition: the model has the place, which is not of
// cross-attention. Throws Stopped.
Matrix stage_values(NetworkPass& pass, const PatchPlace& place);

}  // namespace headlight
