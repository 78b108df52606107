#include "engine/training/optimizer.h"

#include <cmath>
#include <numbers>

#include "engine/core/parallel.h"

namespace headlight {
namespace {

// Calls body(begin, count) for pieces of so many numbers, on all threads.
template <class Body>
void for_each_piece(Index numbers, const Body& body) {
  constexpr Index kPiece = Index{1} << 15;
  for_each_index((numbers + kPiece - 1) / kPiece, 8 * static_cast<double>(numbers),
                 [&](Index piece) { body(piece * kPiece, std::min(kPiece, numbers - piece * kPiece)); });
}

}  // namespace

ModelOptimizer::ModelOptimizer(const OptimizerSettings& settings, const TrainedWeights& weights)
    : settings_(settings) {
  const Index stored = stored_per_number(settings);
  for (const WeightTensor& tensor : weights.tensors()) {
    const Matrix zeros = Matrix::Zero(tensor.numbers.rows(), tensor.numbers.cols());
    if (stored > 0) state_.mean.push_back(zeros);
    if (stored > 1) state_.square.push_back(zeros);
  }
}

void ModelOptimizer::step(double rate, const TensorGradients& gradients, TrainedWeights& weights) {
  const OptimizerStep step(settings_, rate, ++state_.steps);
  const auto stored = [](std::vector<Matrix>& of_tensors, std::size_t i, Index begin) {
    return of_tensors.empty() ? nullptr : of_tensors[i].data() + begin;
  };
  weights.change_each([&](std::size_t i, Matrix& numbers) {
    for_each_piece(numbers.size(), [&](Index begin, Index count) {
      step.move({count, gradients.matrices[i].data() + begin, numbers.data() + begin,
                 stored(state_.mean, i, begin), stored(state_.square, i, begin)});
    });
  });
}

double clip_gradients(double most, TensorGradients& gradients) {
  double sum = 0;
  for (const Matrix& matrix : gradients.matrices)
    for (Index row = 0; row < matrix.rows(); ++row)
      sum += static_cast<double>(matrix.row(row).squaredNorm());
  const double norm = std::sqrt(sum);
  constexpr double kEpsilon = 1e-6;  // as in PyTorch
  if (most > 0 && most < norm + kEpsilon)
    for (Matrix& matrix : gradients.matrices)
      matrix *= static_cast<float>(most / (norm + kEpsilon));
  return norm;
}

double LearningRate::at(Index step) const {
  if (step < warmup) return most * static_cast<double>(step) / static_cast<double>(warmup);
  if (schedule == RateSchedule::Constant) return most;
  const double share =
      static_cast<double>(step - warmup) / static_cast<double>(std::max<Index>(1, steps - warmup));
  return most * 0.5 * (1 + std::cos(std::numbers::pi * share));
}

}  // namespace headlight
