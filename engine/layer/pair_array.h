// Numbers per pair of query and key, for all sequences and heads or shared by them.
#pragma once

#include <vector>

#include "engine/core/matrix.h"

namespace headlight {

// An array with the axes B, H, Tq, Tk. An axis of size 1 is broadcast. Without matrices: no array.
struct PairArray {
  Index sequences = 0, heads = 0;  // index in `matrices`: sequence * heads + head
  std::vector<Matrix> matrices;    // all of one shape

  bool empty() const { return matrices.empty(); }
  Index rows() const { return empty() ? 0 : matrices.front().rows(); }
  Index columns() const { return empty() ? 0 : matrices.front().cols(); }
  Index index(Index sequence, Index head) const {
    return (sequences == 1 ? 0 : sequence) * heads + (heads == 1 ? 0 : head);
  }
  const Matrix& of(Index sequence, Index head) const {
    return matrices[static_cast<std::size_t>(index(sequence, head))];
  }
  bool operator==(const PairArray& other) const {
    return sequences == other.sequences && heads == other.heads && same_matrices(matrices, other.matrices);
  }
  float at(Index sequence, Index head, Index query, Index key) const {
    const Matrix& matrix = of(sequence, head);
    return matrix(matrix.rows() == 1 ? 0 : query, matrix.cols() == 1 ? 0 : key);
  }
};

}  // namespace headlight
