#include "engine/training/row_backward.h"

#include <algorithm>
#include <cmath>

#include "engine/core/parallel.h"
#include "engine/simd/product.h"

namespace headlight {
namespace {

struct NormSums {
  Eigen::RowVectorXf weight, bias;
};

// The rows of a block, with the sums over them for the gradients of the norm's weights.
void norm_rows_backward(const NetworkConfig& c, const NormWeights& norm, const MatrixRef& x,
                        MatrixOut gradient, NormSums& sums) {
  const bool centred = c.norm == NormKind::Layer;
  const auto epsilon = static_cast<float>(c.epsilon);
  const float one = c.norm == NormKind::RmsPlusOne ? 1.0f : 0.0f;
  Eigen::ArrayXf normed(x.cols()), inner(x.cols());
  for (Index i = 0; i < x.rows(); ++i) {
    auto row = gradient.row(i).transpose().array();
    normed = x.row(i).transpose().array();
    if (centred) normed -= normed.mean();
    const float scale = 1 / std::sqrt(normed.square().mean() + epsilon);
    normed *= scale;
    sums.weight.array() += (row * normed).transpose();
    sums.bias.array() += row.transpose();
    inner = row * (norm.weight.transpose().array() + one);
    const float along = (inner * normed).mean(), mean = centred ? inner.mean() : 0;
    row = scale * (inner - mean - normed * along);
  }
}

void weights_backward(const Factor& w, const MatrixRef& x, const MatrixRef& y_gradient,
                      TensorGradients& gradients, Workspace& workspace) {
  Matrix& weight = *gradients.of(w.tensor);
  Matrix* bias = gradients.of(w.bias);
  for (Index begin = 0; begin < w.outputs; begin += w.group) {
    const Index count = std::min(w.group, w.outputs - begin), place = w.place(begin);
    const auto part = y_gradient.middleCols(begin, count);
    if (bias) bias->middleCols(place, count) += part.colwise().sum();
    if (w.transposed)
      add_product({part, true}, {x}, weight.middleRows(place, count), workspace);
    else
      add_product({x, true}, {part}, weight.middleCols(place, count), workspace);
  }
}

}  // namespace

void norm_backward(const NetworkConfig& c, const NormWeights& norm, const MatrixRef& x, MatrixOut gradient,
                   TensorGradients* gradients) {
  // A block for each thread: the sums are added in the order of the blocks.
  const Index rows = x.rows(), blocks = std::min(rows, thread_count());
  const Eigen::RowVectorXf zeros = Eigen::RowVectorXf::Zero(x.cols());
  std::vector<NormSums> sums(static_cast<std::size_t>(blocks), {zeros, zeros});
  for_each_index(blocks, 8 * static_cast<double>(x.size()), [&](Index block) {
    const Index begin = rows * block / blocks, count = rows * (block + 1) / blocks - begin;
    norm_rows_backward(c, norm, x.middleRows(begin, count), gradient.middleRows(begin, count),
                       sums[static_cast<std::size_t>(block)]);
  });
  if (!gradients) return;
  Matrix *weight = gradients->of(norm.weight_tensor), *bias = gradients->of(norm.bias_tensor);
  for (const NormSums& sum : sums) {
    if (weight) *weight += sum.weight;
    if (bias) *bias += sum.bias;
  }
}

void head_norm_backward(const NetworkConfig& c, const NormWeights& norm, const Matrix& x, Matrix& gradient,
                        TensorGradients* gradients) {
  const Index width = c.head_norms == HeadNorm::Whole ? x.cols() : c.head_width, rows = x.size() / width;
  norm_backward(c, norm, Eigen::Map<const Matrix>(x.data(), rows, width),
                Eigen::Map<Matrix>(gradient.data(), rows, width), gradients);
}

void factor_backward(const Factor& w, const MatrixRef& x, const MatrixRef& y_gradient, MatrixOut x_gradient,
                     TensorGradients* gradients, Workspace& workspace) {
  if (gradients) weights_backward(w, x, y_gradient, *gradients, workspace);
  add_multiplied_back(y_gradient, w, x_gradient, workspace);
}

}  // namespace headlight
