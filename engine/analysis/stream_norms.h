// Sizes of what flows through a model, and of what a head moves.
#pragma once

#include "engine/network/network_pass.h"

namespace headlight {

struct StreamNorms {
  Matrix stream;           // L + 1 x T: |x|, Euclidean, as the stream enters each layer and leaves the last
  Matrix attention, mlps;  // L x T: of what attention and the MLP add
};
// Throws Stopped.
StreamNorms stream_norms(NetworkPass& pass);

// |weight x value| of each query and key of a head, as the output projection takes the values to the stream:
// T x T. Kobayashi et al. 2020, "Attention is Not Only a Weight", arXiv 2004.10102. Throws Stopped.
Matrix weighted_value_norms(NetworkPass& pass, Index layer, Index head);

}  // namespace headlight
