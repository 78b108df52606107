// Logit lens: what a model would predict from the residual stream of each layer, through the last norm and
// the unembedding (nostalgebraist 2020, "interpreting GPT: the logit lens").
#pragma once

#include "engine/interpretation/predictions.h"
#include "engine/network/network_pass.h"

namespace headlight {

// By layer, from the stream that enters the first one to the stream that leaves the last: the likeliest
// tokens at a position. Throws Error if the model has no predictions; Stopped.
std::vector<std::vector<Prediction>> logit_lens(NetworkPass& pass, Index position, Index count);

}  // namespace headlight
