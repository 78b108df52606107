#include "engine/training/trained_weights.h"

namespace headlight {
namespace {

std::vector<WeightTensor> copied(const Network& network) {
  std::vector<WeightTensor> copies;
  for (const Tensor* tensor : tensors_of(network.weights())) {
    WeightTensor copy{tensor->name, tensor->shape, Matrix(tensor->rows(), tensor->columns())};
    read_numbers(*tensor, 0, copy.numbers.size(), copy.numbers.data());
    copies.push_back(std::move(copy));
  }
  return copies;
}

}  // namespace

TrainedWeights::TrainedWeights(const Network& network) : TrainedWeights(network.config(), copied(network)) {}

TrainedWeights::TrainedWeights(NetworkConfig config, std::vector<WeightTensor> tensors)
    : config_(std::move(config)), tensors_(std::move(tensors)) {
  std::vector<Tensor> views;
  for (const WeightTensor& tensor : tensors_) {
    const auto size = static_cast<std::size_t>(tensor.numbers.size()) * sizeof(float);
    const std::string_view bytes(reinterpret_cast<const char*>(tensor.numbers.data()), size);
    views.push_back({tensor.name, tensor.shape, TensorType::F32, bytes, nullptr});
  }
  checkpoint_ = std::make_unique<Checkpoint>(std::move(views), "the weights in memory");
  weights_ = bind_weights(*checkpoint_, config_);
  for (std::size_t i = 0; i < tensors_.size(); ++i)
    indices_.emplace(&checkpoint_->require(tensors_[i].name), i);
}

double TrainedWeights::number_count() const {
  double count = 0;
  for (const WeightTensor& tensor : tensors_)
    count += static_cast<double>(tensor.numbers.size());
  return count;
}

TensorGradients::TensorGradients(const TrainedWeights& weights) : weights_(&weights) {
  for (const WeightTensor& tensor : weights.tensors())
    matrices.emplace_back(Matrix::Zero(tensor.numbers.rows(), tensor.numbers.cols()));
}

void TensorGradients::clear() {
  for (Matrix& matrix : matrices)
    matrix.setZero();
}

}  // namespace headlight
