// Activation patching, everywhere: what the stream of another text, put in at one layer and token, does to a
// prediction. Meng et al. 2022, arXiv 2202.05262.
#pragma once

#include <functional>

#include "engine/network/network_pass.h"

namespace headlight {

struct PatchMapRequest {
  Index position = 0;                 // the token whose logits are read
  std::int32_t id = 0;                // whose logit
  std::optional<std::int32_t> other;  // less that of this one
};

// (L + 1) x T: the logit with the stream that enters layer l at token t taken from `source`, of as many
// tokens. The pass itself is left as it is. `done`: called with how many of all are known. Throws Error when
// the texts have another number of tokens, or the model predicts none; Stopped.
Matrix patch_map(const NetworkPass& pass, NetworkPass& source, const PatchMapRequest& request,
                 const std::function<void(Index done, Index all)>& done);

}  // namespace headlight
