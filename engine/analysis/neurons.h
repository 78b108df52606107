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

// What all neurons of a layer are and add to the logit, as in Neuron. Throws Error and Stopped as below.
struct NeuronParts {
  Eigen::RowVectorXf activation, part;
};
NeuronParts neuron_parts(NetworkPass& pass, const LogitChoice& logit, Index layer);
// The numbers of the `count` largest by magnitude, equal ones in their order.
std::vector<Index> largest_parts(const Eigen::RowVectorXf& parts, Index count);
// The tokens that each of these neurons of a layer raises most.
std::vector<std::vector<Prediction>> promoted_tokens(NetworkPass& pass, Index layer,
                                                     const std::vector<Index>& numbers, Index promoted);

// The `count` neurons of the layer that add most, by magnitude. Together with the bias of the down projection
// all neurons add what the MLP adds (Attribution::mlps). promoted: how many tokens of each. Throws Error as
// attribute(), and for a layer with experts; Stopped.
std::vector<Neuron> largest_neurons(NetworkPass& pass, const LogitChoice& logit, Index layer, Index count,
                                    Index promoted);

}  // namespace headlight
