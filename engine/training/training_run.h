// The training of a whole model on texts, one step at a time.
#pragma once

#include <memory>

#include "engine/training/decoder_pass.h"
#include "engine/training/optimizer.h"
#include "engine/training/text_windows.h"

namespace headlight {

struct ModelTrainingSettings : OptimizerSettings {
  Index batch = 1, length = 1;  // B windows of T tokens in each step
  LearningRate rate;
  double clip = 0;  // see clip_gradients
  WindowOrder order = WindowOrder::Random;
  std::int64_t seed = 123;
};

struct TrainingStep {
  Index number = 0;  // from 1 on
  double loss = 0;   // of the step's windows, before its weights change
  double rate = 0, gradient_norm = 0;
};

// Throws Error if the model is not a decoder or has too few positions for the windows.
void require_trainable(const Network& network, const ModelTrainingSettings& settings);

class TrainingRun {
 public:
  // ids: of the texts. Throws Error as require_trainable, if there are too few ids, and if the memory is not
  // enough.
  TrainingRun(const Network& network, std::vector<std::int32_t> ids, const ModelTrainingSettings& settings);

  // Throws Error if the loss is not a number; the weights are then those before. Throws Stopped.
  TrainingStep advance();
  Index steps() const { return steps_; }  // taken so far
  // The mean loss over windows of other ids, one behind the other, at most so many steps' worth; NaN if the
  // ids are too few for a window. Throws Stopped.
  double loss_over(const std::vector<std::int32_t>& ids, Index most);
  const TrainedWeights& weights() const { return weights_; }
  std::string memory_text() const;  // "the training takes about 85 MB of memory"
  // Bytes that it allocates for a model with so many numbers.
  static double bytes(const NetworkConfig& config, double numbers, const ModelTrainingSettings& settings);

  const ModelOptimizer::State& optimizer_state() const { return optimizer_->state(); }
  // Goes on as a run that has taken so many steps. weights: empty, or of every tensor in place of the
  // model's. Precondition: before the first step, and the state of the same model and settings.
  void go_on_from(ModelOptimizer::State state, const std::vector<Matrix>& weights);

 private:
  ModelTrainingSettings settings_;
  TrainedWeights weights_;
  WindowStream windows_;
  double bytes_ = 0;
  std::unique_ptr<DecoderPass> pass_;
  std::unique_ptr<DecoderGradients> gradients_;
  std::unique_ptr<ModelOptimizer> optimizer_;
  Index steps_ = 0;
};

}  // namespace headlight
