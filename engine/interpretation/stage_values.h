// What a pass has at a place that can be overwritten, so that another one may be given it.
#pragma once

#include "engine/network/network_pass.h"

namespace headlight {

struct PatchPlace {
  PatchStage stage = PatchStage::Residual;
  Index layer = 0;
  Index head = 0;  // of stages of heads; of keys and values one of theirs
  bool operator==(const PatchPlace&) const = default;
};

// T rows, of one head where the stage has heads. Precondition: the model has the place. Throws Stopped.
Matrix stage_values(NetworkPass& pass, const PatchPlace& place);

}  // namespace headlight
