// What a model would predict if its stream left it earlier: the residual of each layer through the last norm
// and to logits (nostalgebraist 2020, "interpreting GPT: the logit lens").
#pragma once

#include "engine/interpretation/predictions.h"
#include "engine/network/network_pass.h"

namespace headlight {

// By layer, from what enters the first one to what leaves the last: the likeliest tokens at a position.
// Throws Error when the model predicts no tokens; Stopped.
std::vector<std::vector<Prediction>> logit_lens(NetworkPass& pass, Index position, Index count);

}  // namespace headlight
