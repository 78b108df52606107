// The backward rules of steps with a row for each token: norms and products with weights. Each adds the
// gradients of the weights to those in `gradients`; null: they are not computed.
#pragma once

#include "engine/architecture/network_config.h"
#include "engine/network/network_weights.h"
#include "engine/simd/workspace.h"
#include "engine/training/trained_weights.h"

namespace headlight {

// gradient, dL/dy of y = norm(x), becomes dL/dx. With n = (x - mean) r, r = 1 / sqrt(variance + epsilon) and
// g = w dL/dy: dL/dx = r (g - mean(g) - n mean(g n)); without the means of x and of g for Rms and RmsPlusOne.
// x, gradient: rows x the norm's width.
void norm_backward(const NetworkConfig& c, const NormWeights& norm, const MatrixRef& x, MatrixOut gradient,
                   TensorGradients* gradients);
// norm_backward() for heads side by side, each with the norm, or all together with it (HeadNorm::Whole).
// x, gradient: rows x heads d_k.
void head_norm_backward(const NetworkConfig& c, const NormWeights& norm, const Matrix& x, Matrix& gradient,
                        TensorGradients* gradients);

// From dL/dy of y = x W + b: dL/dW += x^T dL/dy, dL/db += its sum, and dL/dx += dL/dy W^T. With
// gradients of W its numbers are float32 in memory. x, x_gradient: rows x inputs; y_gradient: rows x outputs.
void factor_backward(const Factor& w, const MatrixRef& x, const MatrixRef& y_gradient, MatrixOut x_gradient,
                     TensorGradients* gradients, Workspace& workspace);

}  // namespace headlight
