// Norms of rows and activation functions.
#pragma once

#include "engine/architecture/network_config.h"
#include "engine/network/network_weights.h"
#include "engine/simd/workspace.h"

namespace headlight {

// Row i of y is the norm of row i of x, as config.norm defines it. y may be x. x, y: rows x the norm's width.
void norm_rows(const NetworkConfig& config, const NormWeights& norm, const MatrixRef& x, MatrixOut y);

// Norms queries or keys in place, as config.head_norms says, and cuts them off. rows: tokens x heads d_k.
void norm_heads(const NetworkConfig& config, const NormWeights& norm, MatrixOut rows);
// Cuts numbers off at -config.clip and config.clip, if the model does.
void clip_rows(const NetworkConfig& config, MatrixOut rows);

// x = f(x), element by element.
void activate(Activation how, MatrixOut x, Workspace& workspace);
// x = f(x), and slope = f'(x) of the x before; the slope of Relu at 0 is 0, as in PyTorch.
void activate_with_slope(Activation how, MatrixOut x, MatrixOut slope);
// up = f(gate) * up.
void activate_gated(Activation how, const MatrixRef& gate, MatrixOut up, Workspace& workspace);
// The activation of gpt_oss (Experts::clamped). gate_up: rows x 2 width, where gate and up alternate; hidden:
// rows x width.
void activate_clamped(const MatrixRef& gate_up, MatrixOut hidden);

}  // namespace headlight
