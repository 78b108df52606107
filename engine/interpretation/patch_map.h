// Activation patching at every place: how the numbers of another text, inserted at one layer and token,
// change a prediction. Meng et al. 2022, arXiv 2202.05262.
#pragma once

#include <functional>
#include <vector>

#include "engine/interpretation/predictions.h"
#include "engine/network/network_pass.h"

namespace headlight {

struct PatchMap {
  Matrix logits;               // layers x T (Residual: L + 1 x T): the logit with each patch
  std::vector<Matrix> values;  // by layer, the inserted values: T x d
};

// Inserts one row of `source`, a text of as many tokens, at a time: of the stream that enters layer l, or of
// what the layer's attention or MLP adds to it. `pass` does not change. `done`: called with the number of
// results that are known, and of all. Precondition: a stage without heads. Throws Error if the texts differ
// in their number of tokens, or if the model has no predictions; Stopped.
PatchMap patch_map(const NetworkPass& pass, NetworkPass& source, PatchStage stage, const LogitChoice& logit,
                   const std::function<void(Index done, Index all)>& done);

}  // namespace headlight
