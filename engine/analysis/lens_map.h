// The logit lens over all positions: what a model would predict from the stream of each layer at each token
// (logit_lens.h).
#pragma once

#include <functional>
#include <vector>

#include "engine/interpretation/predictions.h"
#include "engine/network/network_pass.h"

namespace headlight {

struct LensMap {
  // By layer, L + 1 x T: from the stream that enters the first layer to the one that leaves the last.
  std::vector<Prediction> likeliest;  // row by row
  Matrix probability, rank;           // of the target; rank from 1
  Matrix chosen;                      // of the target: the number that is chosen
  Index layers = 0, tokens = 0;       // L + 1, T
  const Prediction& at(Index layer, Index token) const {
    return likeliest[static_cast<std::size_t>(layer * tokens + token)];
  }
};

// targets: for each position the token whose probability, rank and chosen number are asked for; chosen: which
// number, of any position and id, less the logit of its `other`. `done`: called with the
// number of layers that are known, and of all. Throws Error if the model has no predictions; Stopped.
LensMap lens_map(NetworkPass& pass, const std::vector<std::int32_t>& targets, const LogitChoice& chosen,
                 const std::function<void(Index done, Index all)>& done);

}  // namespace headlight
