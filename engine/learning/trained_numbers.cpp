#include "engine/learning/trained_numbers.h"

#include <algorithm>
#include <cmath>

namespace headlight {
namespace {

// The matrix of a layer, constant or not, or of its gradients that the layout means.
template <class AnyModel>
auto& matrix_of_model(AnyModel& layer, const TrainedMatrix& at) {
  if (at.part == TrainedPart::Embeddings) return layer.embeddings[static_cast<std::size_t>(at.sequence)];
  const Parameter p = weights_of(at.part);
  return at.bias ? layer.weights.bias(p) : layer.weights.matrix(p);
}

const Matrix& matrix_of(const Layer& layer, const TrainedMatrix& at) {
  return matrix_of_model(layer, at);
}

const Matrix& matrix_of(const Gradients& gradients, const TrainedMatrix& at) {
  if (at.part == TrainedPart::Embeddings)
    return gradients.of(Stage::Embeddings)[static_cast<std::size_t>(at.sequence)];
  const Parameter p = weights_of(at.part);
  return at.bias ? gradients.bias(p) : gradients.matrix(p);
}

template <class Source>
void read_all(const std::vector<TrainedMatrix>& matrices, const Source& source, ParameterVector& numbers) {
  for (const TrainedMatrix& at : matrices)
    numbers.segment(at.begin, at.size()) =
        Eigen::Map<const ParameterVector>(matrix_of(source, at).data(), at.size());
}

}  // namespace

TrainedLayout::TrainedLayout(const Layer& layer, const std::vector<TrainedPart>& parts) {
  for (const TrainedPart part : parts) {
    if (part == TrainedPart::Embeddings) {
      for (Index sequence = 0; sequence < layer.sequence_count(); ++sequence)
        add({part, false, sequence, 0, layer.token_count(), layer.d_in()});
      continue;
    }
    const auto [rows, columns] = expected_shape(layer, weights_of(part));
    add({part, false, 0, 0, rows, columns});
    if (layer.uses_bias(weights_of(part)))
      add({part, true, 0, 0, 1, parameter_width(layer, weights_of(part))});
  }
}

void TrainedLayout::add(const TrainedMatrix& matrix) {
  matrices_.push_back(matrix);
  matrices_.back().begin = size_;
  size_ += matrix.size();
}

std::string TrainedLayout::name(const TrainedMatrix& matrix) const {
  const std::string name = part_name(matrix.part);
  if (matrix.bias) return name + "_bias";
  const bool several = matrices_.size() > 1 && matrices_[1].part == TrainedPart::Embeddings;
  return matrix.part == TrainedPart::Embeddings && several
             ? name + "[" + std::to_string(matrix.sequence) + "]"
             : name;
}

void TrainedLayout::read(const Layer& layer, ParameterVector& numbers) const {
  numbers.resize(size_);
  read_all(matrices_, layer, numbers);
}

void TrainedLayout::read(const Gradients& gradients, ParameterVector& numbers) const {
  numbers.resize(size_);
  read_all(matrices_, gradients, numbers);
}

void TrainedLayout::write(const ParameterVector& numbers, Layer& layer) const {
  for (const TrainedMatrix& at : matrices_) {
    matrix_of_model(layer, at) = Eigen::Map<const Matrix>(numbers.data() + at.begin, at.rows, at.columns);
    if (at.part != TrainedPart::Embeddings) layer.weights.edited = true;
  }
}

GradientRequest TrainedLayout::request() const {
  GradientRequest request{0, 0};
  for (const TrainedMatrix& at : matrices_)
    if (at.part == TrainedPart::Embeddings)
      request.stages = stage_bit(Stage::Embeddings);
    else
      request.parameters |= parameter_bit(weights_of(at.part));
  return request;
}

std::vector<Movement> movements(const TrainedLayout& layout, const ParameterVector& from,
                                const ParameterVector& to) {
  std::vector<Movement> result;
  for (const TrainedMatrix& at : layout.matrices()) {
    const auto before = from.segment(at.begin, at.size()), after = to.segment(at.begin, at.size());
    const Eigen::ArrayXd moved = (after.cast<double>() - before.cast<double>()).abs();
    Index farthest = 0;
    if (at.size() > 0) moved.maxCoeff(&farthest);
    result.push_back({layout.name(at), std::sqrt(moved.square().sum()), farthest / at.columns,
                      farthest % at.columns, before(farthest), after(farthest)});
  }
  std::stable_sort(result.begin(), result.end(),
                   [](const Movement& a, const Movement& b) { return a.distance > b.distance; });
  return result;
}

}  // namespace headlight
