// Attention rollout over the layers of a model: how much each token takes from each token of the text on all
// ways through the layers. Abnar & Zuidema 2020, "Quantifying Attention Flow in Transformers", arXiv
// 2005.00928. What values and MLPs do with the tokens does not take part.
#pragma once

#include <functional>
#include <vector>

#include "engine/network/network_pass.h"

namespace headlight {

// By layer l: A'_l A'_(l-1) ... A'_0, T x T, row: the token behind layer l, column: the token of the text. A'
// is 0.5 A + 0.5 I with each row divided by its sum, A the mean of the weights of the layer's heads. Of a
// model of two sides: of attention to the own text alone. Throws Stopped.
void for_each_rollout(NetworkPass& pass, const std::function<void(Index layer, const Matrix& rollout)>& body);

}  // namespace headlight
