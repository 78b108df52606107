// How well a whole model predicts the next token of some windows of text, and the gradient of that loss by
// every weight: the chain rule backwards through the layers (reverse-mode differentiation). All windows go
// through the model together, as one matrix with a row for each of their tokens. Letters as in
// engine/README.md: B windows of T tokens, d the width of the stream, L layers, H heads. In float32, without
// dropout.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "engine/network/layer_steps.h"
#include "engine/training/trained_weights.h"

namespace headlight {

// Throws Error unless the model is a causal decoder that predicts tokens: the message names its family.
void require_decoder(const NetworkConfig& config, const NetworkWeights& weights, const std::string& where);

// Throws Error if the gradient of what the model computes is not computed here (why_no_gradient).
void require_gradient(const NetworkConfig& config, const std::string& where);

// Throws Error if `bytes` are more than the machine's memory.
void require_memory_for(const std::string& what, double bytes, const std::string& where);

struct Windows {
  static constexpr std::int32_t kNone = -1;  // a target of which nothing is wanted

  Index count = 1;                 // B
  std::vector<std::int32_t> ids;   // B x T, window by window
  std::vector<std::int32_t> next;  // B x T: the token that follows each of them, or kNone
  Index length() const { return static_cast<Index>(ids.size()) / count; }
};

struct DecoderGradients {
  explicit DecoderGradients(const TrainedWeights& weights) : tensors(weights) {}

  double loss = 0;                   // the mean of -ln p(next token) over the targets
  std::vector<float> loss_by_token;  // -ln p of each target, in the order of Windows::next
  TensorGradients tensors;
  // With DecoderPass::Wanted::Everything. By the stream that enters each layer, and that leaves the last: L +
  // 1 matrices of B T x d. By the weights of each layer's heads, index layer * H + head: T x T, of one
  // window.
  std::vector<Matrix> residual, weights;
};

class DecoderPass {
 public:
  // Whether a layer's numbers are stored until its backward pass, or computed again there from the stream
  // that enters it, which takes a third more time (Chen et al. 2016, arXiv 1604.06174).
  enum class Storage { Stored, Recomputed };
  enum class Wanted { Weights, Everything };

  // The weights must outlive this; their numbers may change between passes.
  explicit DecoderPass(const TrainedWeights& weights, Storage storage = Storage::Stored);

  // The loss and its gradients, which replace those in `gradients`. Ids and targets must be in the
  // vocabulary, and T within the positions. With Everything, B is 1. Throws Stopped.
  void backward(const Windows& windows, Wanted wanted, DecoderGradients& gradients);

  // The loss alone. Throws Stopped.
  double loss(const Windows& windows);

  // Bytes that backward() allocates for windows of this size, beside weights and gradients.
  static double bytes(const NetworkConfig& config, Index count, Index length, Storage storage);

 private:
  void prepare(const Windows& windows);
  void forward(const Windows& windows, bool stored);
  void embed(Matrix& rows);
  void embed_backward(const Matrix& gradient, TensorGradients& gradients);
  Layer& frame(Index layer) { return frames_[static_cast<std::size_t>(layer)]; }

  const TrainedWeights& weights_;
  const NetworkConfig& config_;
  Storage storage_;
  Workspace workspace_;
  const Windows* windows_ = nullptr;  // of the current call
  Index length_ = 0;                  // T
  Rotations rotations_;
  std::vector<Layer> frames_;       // attention settings and masks of each layer
  std::vector<Matrix> streams_;     // L + 1
  std::vector<LayerTrace> traces_;  // L, or one that is used again
};

}  // namespace headlight
