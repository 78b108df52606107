// Activation patching, everywhere: what the stream of another text, put in at one layer and token, does to a
// prediction. Meng et al. 2022, arXiv 2202.05262.
#pragma once

#include <functional>

#include "engine/interpretation/predictions.h"
#include "engine/network/network_pass.h"

namespace headlight {

// (L + 1) x T: the logit with the stream that enters layer l at token t taken from `source`, of as many
// tokens. The pass itself is left as it is. `done`: called with how many of all are known. Throws Error when
// the texts have another number of tokens, or the model predicts none; Stopped.
Matrix patch_map(const NetworkPass& pass, NetworkPass& source, const LogitChoice& logit,
                 const std::function<void(Index done, Index all)>& done);

}  // namespace headlight
