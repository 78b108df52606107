#include "engine/model/projection.h"

#include "engine/core/product.h"

namespace headlight {

void project(const Matrix& x, const Matrix& w, WeightLayout layout, const Matrix* bias, Matrix& y) {
  y.resize(x.rows(), layout == WeightLayout::InOut ? w.cols() : w.rows());
  if (layout == WeightLayout::InOut)
    multiply(x, w, y);
  else
    multiply_transposed(x, w, y);
  if (bias) y.rowwise() += bias->row(0);
}

Matrix projected(const Model& model, Parameter parameter, const Matrix& x) {
  Matrix y;
  project(x, model.weights.matrix(parameter), model.weights.layout,
          model.uses_bias(parameter) ? &model.weights.bias(parameter) : nullptr, y);
  return y;
}

}  // namespace headlight
