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

using Piece = Eigen::Map<Eigen::ArrayXf>;
using ConstPiece = Eigen::Map<const Eigen::ArrayXf>;

}  // namespace

Index stored_per_weight(const OptimizerSettings& settings) {
  if (settings.kind == OptimizerKind::Sgd) return settings.momentum != 0 ? 1 : 0;
  return 2;
}

ModelOptimizer::ModelOptimizer(const OptimizerSettings& settings, const TrainedWeights& weights)
    : settings_(settings) {
  const Index stored = stored_per_weight(settings);
  for (const WeightTensor& tensor : weights.tensors()) {
    const Matrix zeros = Matrix::Zero(tensor.numbers.rows(), tensor.numbers.cols());
    if (stored > 0) state_.mean.push_back(zeros);
    if (stored > 1) state_.square.push_back(zeros);
  }
}

void ModelOptimizer::step(double rate, const TensorGradients& gradients, TrainedWeights& weights) {
  ++state_.steps;
  const bool sgd = settings_.kind == OptimizerKind::Sgd;
  const double decay = settings_.kind == OptimizerKind::AdamW ? settings_.decay : 0;
  const double first = 1 - std::pow(settings_.beta1, static_cast<double>(state_.steps)),
               second = 1 - std::pow(settings_.beta2, static_cast<double>(state_.steps));
  const auto kept = static_cast<float>(1 - rate * decay), size = static_cast<float>(rate / first),
             root = static_cast<float>(1 / std::sqrt(second)),
             epsilon = static_cast<float>(settings_.epsilon), plain = static_cast<float>(rate),
             momentum = static_cast<float>(settings_.momentum);
  const auto beta1 = static_cast<float>(settings_.beta1), beta2 = static_cast<float>(settings_.beta2),
             other1 = static_cast<float>(1 - settings_.beta1),
             other2 = static_cast<float>(1 - settings_.beta2);
  weights.change_each([&](std::size_t i, Matrix& numbers) {
    for_each_piece(numbers.size(), [&](Index begin, Index count) {
      Piece weight(numbers.data() + begin, count);
      const ConstPiece gradient(gradients.matrices[i].data() + begin, count);
      if (sgd && state_.mean.empty()) {
        weight -= plain * gradient;
        return;
      }
      Piece mean(state_.mean[i].data() + begin, count);
      if (sgd) {
        mean = momentum * mean + gradient;
        weight -= plain * mean;
        return;
      }
      Piece square(state_.square[i].data() + begin, count);
      mean = beta1 * mean + other1 * gradient;
      square = beta2 * square + other2 * gradient.square();
      weight = kept * weight - size * mean / (square.sqrt() * root + epsilon);
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
