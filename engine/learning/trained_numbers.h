// The numbers of a layer that are trained, as one vector: matrix after matrix, row after row. An optimizer
// treats each number alike, and a step can be stored and compared as a whole.
#pragma once

#include <string>
#include <vector>

#include "engine/learning/gradients.h"
#include "engine/learning/training_settings.h"

namespace headlight {

using ParameterVector = Eigen::ArrayXf;

inline bool finite_numbers(const ParameterVector& numbers) {
  return (numbers - numbers).sum() == 0.0f;
}

// A matrix in the vector.
struct TrainedMatrix {
  TrainedPart part{};
  bool bias = false;   // that of the part's weights
  Index sequence = 0;  // of the embeddings
  Index begin = 0;     // of its numbers in the vector
  Index rows = 0, columns = 0;

  Index size() const { return rows * columns; }
  bool operator==(const TrainedMatrix&) const = default;
};

class TrainedLayout {
 public:
  // Precondition: the layer has these parts (trained_parts(), in its order).
  TrainedLayout(const Layer& layer, const std::vector<TrainedPart>& parts);

  const std::vector<TrainedMatrix>& matrices() const { return matrices_; }
  Index size() const { return size_; }  // how many numbers are trained
  // The name in the session file: "query", "query_bias", "embeddings", of several sequences "embeddings[1]".
  std::string name(const TrainedMatrix& matrix) const;

  // All three: numbers has size() numbers.
  void read(const Layer& layer, ParameterVector& numbers) const;
  void write(const ParameterVector& numbers, Layer& layer) const;
  void read(const Gradients& gradients, ParameterVector& numbers) const;
  // The gradients that read() needs, and no others.
  GradientRequest request() const;

  bool operator==(const TrainedLayout&) const = default;

 private:
  void add(const TrainedMatrix& matrix);

  std::vector<TrainedMatrix> matrices_;
  Index size_ = 0;
};

// How far a matrix moved between two vectors of a layout.
struct Movement {
  std::string name;     // as TrainedLayout::name()
  double distance = 0;  // the square root of the sum of the squares of what each number moved
  // The number of it that moved most, and its values.
  Index row = 0, column = 0;
  float from = 0, to = 0;
};

// Of every matrix, the farthest first.
std::vector<Movement> movements(const TrainedLayout& layout, const ParameterVector& from,
                                const ParameterVector& to);

}  // namespace headlight
