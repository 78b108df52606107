// Layers on the way from one layer to another: every number on the straight line between the two.
#pragma once

#include <string>
#include <vector>

#include "engine/layer/layer.h"

namespace headlight {

// What differs from `a` to `b` and is no number that could lie in between, one line each: "mask none →
// causal", "tokens 3 → 4"; empty if there is a way. Names of tokens may differ.
std::vector<std::string> interpolation_obstacles(const Layer& a, const Layer& b);

// (1 - t) a + t b for the embeddings, given arrays, weights, biases, overwritten numbers, what is added to
// the scores, the scale, the softcap, sinks, the probability of dropout, theta and slopes of positions;
// numbers that are equal stay so. At t = 0 the numbers are exactly those of `a`, at t = 1 those of `b`.
// Everything else, also the names of tokens, is that of `b`. The recipe of drawn weights does not apply to
// what lies in between. Preconditions: both layers are valid, there are no obstacles, and t is from 0 to 1.
Layer layer_between(const Layer& a, const Layer& b, double t);

}  // namespace headlight
