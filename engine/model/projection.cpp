#include "engine/model/projection.h"

#include <algorithm>

#include "engine/core/parallel.h"
#include "engine/core/product.h"

namespace headlight {

void project(const MatrixRef& x, const Matrix& w, WeightLayout layout, const Matrix* bias, MatrixOut y) {
  const bool transposed = layout == WeightLayout::OutIn;
  if (small_product(x.rows(), y.cols(), x.cols())) {
    if (transposed)
      multiply_transposed(x, w, y);
    else
      multiply(x, w, y);
    if (bias) y.rowwise() += bias->row(0);
    return;
  }
  const PackedFactor factor({w, transposed});
  // Several blocks for each thread, so that none waits long for the others.
  constexpr Index kRows = 121;
  const Index blocks = (x.rows() + kRows - 1) / kRows;
  const double products = static_cast<double>(x.rows()) * static_cast<double>(w.size());
  for_each_index(blocks, products / 16, [&](Index block) {
    const Index begin = x.rows() * block / blocks, count = x.rows() * (block + 1) / blocks - begin;
    MatrixOut rows = y.middleRows(begin, count);
    factor.multiply_by(x.middleRows(begin, count), rows);
    if (bias) rows.rowwise() += bias->row(0);
  });
}

void project(const Model& model, Parameter parameter, const MatrixRef& x, MatrixOut y) {
  project(x, model.weights.matrix(parameter), model.weights.layout,
          model.uses_bias(parameter) ? &model.weights.bias(parameter) : nullptr, y);
}

Matrix projected(const Model& model, Parameter parameter, const MatrixRef& x) {
  Matrix y(x.rows(), model.d_out());
  project(model, parameter, x, y);
  return y;
}

}  // namespace headlight
