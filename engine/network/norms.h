// What stands between the products of a layer: norms, and the functions inside its MLP.
#pragma once

#include "engine/network/network_config.h"
#include "engine/network/network_weights.h"

namespace headlight {

// Each row of y is the norm of that of x, as NormKind says it. y may be x. x, y: rows x the norm's width.
void norm_rows(const NetworkConfig& config, const NormWeights& norm, const MatrixRef& x, MatrixOut y);

// x = f(x), number by number.
void activate(Activation how, MatrixOut x);
// up = f(gate) * up.
void activate_gated(Activation how, const MatrixRef& gate, MatrixOut up);

}  // namespace headlight
