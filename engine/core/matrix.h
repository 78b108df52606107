// The matrix types of the engine: float32, as in the notebooks; row-major, so that each row (a token) is
// contiguous, as in NumPy and PyTorch.
#pragma once

#include <algorithm>
#include <vector>

#include <Eigen/Core>

namespace headlight {

using Index = Eigen::Index;
using Matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using MatrixRef = Eigen::Ref<const Matrix>;
using MatrixOut = Eigen::Ref<Matrix>;

// Whether all numbers are finite. Vectorized, unlike Eigen's allFinite, which tests one number at a time.
inline bool all_finite(const MatrixRef& matrix) {
  return (matrix.array() - matrix.array()).sum() == 0.0f;
}

// Equal shapes and numbers. Eigen's == requires equal shapes.
inline bool same_matrix(const Matrix& a, const Matrix& b) {
  return a.rows() == b.rows() && a.cols() == b.cols() && a == b;
}
inline bool same_matrices(const std::vector<Matrix>& a, const std::vector<Matrix>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), same_matrix);
}

}  // namespace headlight
