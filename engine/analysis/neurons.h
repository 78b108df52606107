// The neurons of an MLP by what they add to a logit.
#pragma once

#include <vector>

#include "engine/interpretation/predictions.h"
#include "engine/network/network_pass.h"

namespace headlight {

struct Neuron {
  Index number = 0;
  float activation = 0;  // at the logit's token, as the down projection reads it
  float part = 0;        // what it adds to the logit, or to the difference, with the norms' divisors held
  std::vector<Prediction> promoted;  // the tokens whose logits its output raises most when it is 1
};

// The `count` neurons of the layer that add most, by magnitude. Together with the bias of the down projection
// all neurons add what the MLP adds (Attribution::mlps). promoted: how many tokens of each. Throws Error as
// attribute(), and for a layer with experts; Stopped.
std::vector<Neuron> largest_neurons(NetworkPass& pass, const LogitChoice& logit, Index layer, Index count,
                                    Index promoted);

}  // namespace headlight
