// The gradient of one layer: how fast the loss of a goal changes with each number of the layer, dL/d(number),
// by the chain rule backwards through the stages (reverse-mode differentiation; for softmax, Bridle 1990; by
// blocks of rows whose weights are computed again, Dao et al. 2022, arXiv 2205.14135, appendix B). In
// float32.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "engine/attention/kernels.h"
#include "engine/learning/goal.h"
#include "engine/simd/workspace.h"

namespace headlight {

// The most query and key tokens of a layer whose gradient is computed.
inline constexpr Index kMostGradientTokens = 4096;

using ParameterSet = std::uint8_t;
constexpr ParameterSet parameter_bit(Parameter p) {
  return static_cast<ParameterSet>(1u << static_cast<unsigned>(p));
}
inline constexpr ParameterSet kAllParameters = 0b1111;

struct GradientRequest {
  // The stages whose gradients are stored: those of them that exist, up to the goal's in the order of the
  // table. Embeddings: also those of the keys. Each stage of pairs takes as much memory as the scores.
  StageSet stages = kAllStages;
  ParameterSet parameters = kAllParameters;  // weight matrices, and biases with them
};

// The matrices have the shapes of what they are the gradients of.
struct Gradients {
  double loss = 0;
  // By stage, index sequence * heads of the stage + head; empty if not requested. What is computed before a
  // stage does not change while its number does. A stage that the goal does not depend on has zeros. Given
  // queries, keys, values and weights stand for the embeddings, which then have no gradient.
  std::array<std::vector<Matrix>, kStageCount> stages;
  std::vector<Matrix> key_embeddings;  // by sequence; empty if the layer has none
  // By Parameter, in the layout of the layer's weights; empty for those that the layer does not use or
  // that were not requested.
  std::array<Matrix, 4> matrices, biases;

  std::vector<Matrix>& of(Stage stage) { return stages[static_cast<std::size_t>(stage)]; }
  const std::vector<Matrix>& of(Stage stage) const { return stages[static_cast<std::size_t>(stage)]; }
  Matrix& matrix(Parameter p) { return matrices[static_cast<std::size_t>(p)]; }
  const Matrix& matrix(Parameter p) const { return matrices[static_cast<std::size_t>(p)]; }
  Matrix& bias(Parameter p) { return biases[static_cast<std::size_t>(p)]; }
  const Matrix& bias(Parameter p) const { return biases[static_cast<std::size_t>(p)]; }
};

// A forward pass up to the goal's stage and the backward pass from it. Layer and goal must outlive it; their
// numbers may change between passes, their shapes and settings may not. The noise of dropout is drawn once,
// as the evaluator draws it.
class LayerPass {
 public:
  // Throws Error if the layer or the goal is not valid, for more than kMostGradientTokens tokens, and if the
  // noise of dropout does not fit in memory.
  LayerPass(const Layer& layer, const Goal& goal);

  // Stores the stages with a row for each token, and none of pairs. Cost: about that of the evaluator.
  void forward();
  // After forward(). Cost: about twice that of the forward pass, and less than it if nothing but the loss is
  // wished for; a stage of pairs is computed again by blocks
  // of rows. Throws Error if the requested stages do not fit in memory; and with cross_entropy if something
  // is wanted of a weight that is not above zero, unless it is a softmax that rounds to zero.
  Gradients backward(const GradientRequest& request = {});
  // backward() into the memory of earlier gradients of the same request.
  void backward(const GradientRequest& request, Gradients& gradients);

 private:
  using Batch = std::vector<Matrix>;  // by sequence: one row per token, the heads side by side

  bool reaches(Stage stage) const;  // whether the stage exists and does not come after the goal's
  Batch& inputs(Parameter p) { return inputs_[static_cast<std::size_t>(p)]; }
  const Matrix& source_of(Parameter p, Index sequence) const;
  void compute_inputs();
  void rotate(Stage stage, Batch& rows) const;
  void compute_context();
  void compute_output();
  void overwrite_rows(Stage stage, Batch& rows) const;
  void take_goal(Stage stage, const Batch& rows);
  // The columns of one head; no numbers if the batch is empty.
  static MatrixRef head_of(const Batch& batch, Index sequence, Index head, Index width);

  struct Backward;  // of one call

  const Layer& layer_;
  const Goal& goal_;
  StageSet existing_;
  double count_ = 0;  // wanted_count()
  Workspace workspace_;
  Rotation query_rotation_, key_rotation_;
  std::vector<Matrix> noise_;    // by sequence * H + head; empty without dropout
  std::array<Batch, 3> inputs_;  // queries, keys and values, the first two rotated
  Batch concat_;
  double loss_ = 0;  // of a goal for a stage with a row for each token
  Batch seed_;       // its gradient
};

// Both passes. Throws Error as they do.
Gradients gradients(const Layer& layer, const Goal& goal, const GradientRequest& request = {});

}  // namespace headlight
