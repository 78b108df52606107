// The weights of a whole model as float32 in memory, by the names that they have in its files: what training
// changes.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "engine/checkpoint/checkpoint.h"
#include "engine/network/network.h"

namespace headlight {

struct WeightTensor {
  std::string name;
  std::vector<Index> shape;  // as in the file
  Matrix numbers;            // rows x columns; a tensor of one axis is one row
};

class TrainedWeights {
 public:
  // Copies the tensors that the model uses. Throws Error if a file has changed since it was opened.
  explicit TrainedWeights(const Network& network);
  // Throws Error for what bind_weights rejects.
  TrainedWeights(NetworkConfig config, std::vector<WeightTensor> tensors);
  TrainedWeights(const TrainedWeights&) = delete;
  TrainedWeights& operator=(const TrainedWeights&) = delete;

  const NetworkConfig& config() const { return config_; }
  // Tied embeddings are one tensor.
  const std::vector<WeightTensor>& tensors() const { return tensors_; }
  double number_count() const;
  // The numbers of tensors(), as the forward pass reads them.
  const NetworkWeights& weights() const { return weights_; }
  // The index in tensors() of one that weights() points to.
  std::size_t index_of(const Tensor& tensor) const { return indices_.at(&tensor); }

  // Calls change(index, numbers) for each tensor, which may change them but not their shape or place in
  // memory.
  template <class Change>
  void change_each(const Change& change) {
    for (std::size_t i = 0; i < tensors_.size(); ++i)
      change(i, tensors_[i].numbers);
    weights_ = bind_weights(*checkpoint_, config_);  // which copies the norms
  }

 private:
  NetworkConfig config_;
  std::vector<WeightTensor> tensors_;
  std::unique_ptr<Checkpoint> checkpoint_;  // views of tensors_
  NetworkWeights weights_;
  std::unordered_map<const Tensor*, std::size_t> indices_;
};

// The gradient of each tensor, of the same shape.
class TensorGradients {
 public:
  // All zero.
  explicit TensorGradients(const TrainedWeights& weights);
  void clear();
  // The one of a tensor that weights() points to; null for null.
  Matrix* of(const Tensor* tensor) { return tensor ? &matrices[weights_->index_of(*tensor)] : nullptr; }

  std::vector<Matrix> matrices;  // in the order of TrainedWeights::tensors()

 private:
  const TrainedWeights* weights_;
};

}  // namespace headlight
