// The matrix types of the engine. float32 throughout, as in the notebooks; row-major, so that a row is a
// token and lies in one piece, as in NumPy and PyTorch.
#pragma once

#include <algorithm>
#include <vector>

#include <Eigen/Core>

namespace headlight {

using Index = Eigen::Index;
using Matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using MatrixRef = Eigen::Ref<const Matrix>;
using MatrixOut = Eigen::Ref<Matrix>;

// Whether no number is NaN or infinite. Eigen's allFinite looks at one number at a time.
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
