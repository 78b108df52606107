#include "engine/model/projection.h"

#include <algorithm>

#include "engine/core/parallel.h"
#include "engine/core/product.h"

namespace headlight {

void project(const MatrixRef& x, const Matrix& w, WeightLayout layout, const Matrix* bias, Matrix& y) {
  constexpr double kWorthBlocks = 1e7;  // products
  const double products = static_cast<double>(x.rows()) * static_cast<double>(w.size());
  const Index blocks = products < kWorthBlocks ? 1 : std::min(thread_count(), x.rows());
  y.resize(x.rows(), layout == WeightLayout::InOut ? w.cols() : w.rows());
  for_each_index(blocks, products, [&](Index block) {
    const Index begin = x.rows() * block / blocks, count = x.rows() * (block + 1) / blocks - begin;
    MatrixOut rows = y.middleRows(begin, count);
    if (layout == WeightLayout::InOut)
      multiply(x.middleRows(begin, count), w, rows);
    else
      multiply_transposed(x.middleRows(begin, count), w, rows);
    if (bias) rows.rowwise() += bias->row(0);
  });
}

Matrix projected(const Model& model, Parameter parameter, const MatrixRef& x) {
  Matrix y;
  project(x, model.weights.matrix(parameter), model.weights.layout,
          model.uses_bias(parameter) ? &model.weights.bias(parameter) : nullptr, y);
  return y;
}

}  // namespace headlight
