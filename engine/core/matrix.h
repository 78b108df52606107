// The matrix types of the engine. float32 throughout, as in the notebooks; row-major, so that a row is a
// token and lies in one piece, as in NumPy and PyTorch.
#pragma once

#include <Eigen/Core>

namespace headlight {

using Index = Eigen::Index;
using Matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using MatrixRef = Eigen::Ref<const Matrix>;

}  // namespace headlight
