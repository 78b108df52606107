// The backward pass of one layer of a whole model, for the rows of several windows at once.
#pragma once

#include <functional>

#include "engine/attention/kernels.h"
#include "engine/learning/gradients.h"
#include "engine/network/layer_steps.h"
#include "engine/network/network_pass.h"
#include "engine/training/trained_weights.h"

namespace headlight {

// What the passes through a layer have in common.
struct LayerOfWindows {
  const NetworkConfig& config;
  const LayerWeights& weights;
  const Layer& frame;  // settings and masks for the T tokens of a window
  HeadRotations rotations;
  Index windows = 1;  // B
  Workspace& workspace;
  // The multipliers of dropout, H matrices of T x T, with which B is 1; null: there is none.
  const std::vector<Matrix>* noise = nullptr;

  Index length() const { return frame.token_count(); }  // T
};

// The stream as it leaves the layer, B T x d, from the stream that enters it; fills the trace.
void layer_forward(const LayerOfWindows& layer, const MatrixRef& entered, MatrixOut left, LayerTrace& trace);

// What a backward pass leaves on its way through a layer.
struct LayerGradients {
  TensorGradients* tensors = nullptr;  // receives the gradients by the model's weights; null: none
  // H matrices of T x T, which receive the gradients by the weights of the heads; null: none. With them B is
  // 1.
  Matrix* weights = nullptr;
  // Empty, or called with the gradient by each stage of the layer that has a row for each token, heads side
  // by side (all of PatchStage but Residual and Weights); it may change what is passed on from there.
  std::function<void(PatchStage stage, MatrixOut gradient)> at = {};
  // Likewise, with the gradient by the neurons of the MLP, behind the non-linearity: rows x mlp_width; and by
  // queries or keys behind the norms of heads and before rotary positions.
  std::function<void(MatrixOut gradient)> at_neurons = {};
  std::function<void(PatchStage stage, MatrixOut gradient)> at_unturned = {};
  // As PairPass::through_weights.
  std::function<void(Index head, Index first, MatrixOut gradient)> through_weights = {};

  void pass_by(PatchStage stage, MatrixOut gradient) const {
    if (at) at(stage, gradient);
  }
};

// gradient, by the stream that leaves the layer, becomes that by the stream that enters it.
void layer_backward(const LayerOfWindows& layer, const MatrixRef& entered, const LayerTrace& trace,
                    Matrix& gradient, const LayerGradients& wanted);

// The steps of layer_backward() from what one reader of the stream makes to what it reads. Gradients by
// queries or keys as scores are computed from them, heads side by side, become those by what the projection
// made; projected: its rows before the norm of heads, unused without that norm. gradients: null, or receives
// those of the norm's weights. unturned: empty, or called between both.
void turn_back(const LayerOfWindows& layer, const NormWeights& norm, const Rotation* rotation,
               const Matrix& projected, Matrix& rows, TensorGradients* gradients,
               const std::function<void(MatrixOut gradient)>& unturned = {});
// gradient, by what the MLP adds to the stream, becomes that by what it reads of the stream, `entered`.
void mlp_backward(const LayerOfWindows& layer, const MatrixRef& entered, const MlpTrace& trace,
                  Matrix& gradient, const LayerGradients& wanted);

}  // namespace headlight
