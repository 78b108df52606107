// Activation patching, everywhere: what the numbers of another text, put in at one layer and token, do to a
// prediction. Meng et al. 2022, arXiv 2202.05262.
#pragma once

#include <functional>
#include <vector>

#include "engine/interpretation/predictions.h"
#include "engine/network/network_pass.h"

namespace headlight {

struct PatchMap {
  Matrix logits;               // layers x T, of the stream L + 1 x T: the logit with each patch
  std::vector<Matrix> values;  // by layer, what was put in: T x d
};

// What is put in is the row of `source`, a text of as many tokens: of the stream as it enters layer l, or of
// what attention or the MLP of the layer adds to it. The pass itself is left as it is. `done`: called with
// how many of all are known. Precondition: a stage without heads. Throws Error when the texts have another
// number of tokens, or the model predicts none; Stopped.
PatchMap patch_map(const NetworkPass& pass, NetworkPass& source, PatchStage stage, const LogitChoice& logit,
                   const std::function<void(Index done, Index all)>& done);

}  // namespace headlight
