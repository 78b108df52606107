#include "engine/layer/projection.h"

#include <algorithm>

#include "engine/core/parallel.h"
#include "engine/simd/product.h"

namespace headlight {

namespace {

const Matrix* bias_of(const Layer& layer, Parameter parameter) {
  return layer.uses_bias(parameter) ? &layer.weights.bias(parameter) : nullptr;
}

// Layers for so many rows that packing the weights pays off.
class Layers {
 public:
  explicit Layers(Workspace& workspace) : workspace_(workspace) {}

  void add(const Matrix& w, WeightLayout layout, const Matrix* bias) {
    factors_.emplace_back(workspace_).take({w, layout == WeightLayout::OutIn});
    biases_.push_back(bias);
  }
  Index count() const { return static_cast<Index>(biases_.size()); }
  Index block_rows() const { return factors_.front().block_rows(); }
  void apply(Index layer, const MatrixRef& x, MatrixOut y) const {
    const auto at = static_cast<std::size_t>(layer);
    factors_[at].multiply_by(x, y);
    if (biases_[at]) y.rowwise() += biases_[at]->row(0);
  }

 private:
  Workspace& workspace_;
  std::vector<PackedFactor> factors_;
  std::vector<const Matrix*> biases_;
};

void project_small(const MatrixRef& x, const Matrix& w, WeightLayout layout, const Matrix* bias, MatrixOut y,
                   Workspace& workspace) {
  if (layout == WeightLayout::OutIn)
    multiply_transposed(x, w, y, workspace);
  else
    multiply(x, w, y, workspace);
  if (bias) y.rowwise() += bias->row(0);
}

// Calls body(layer, begin, count) for all blocks of rows of x and all layers, each `columns` wide.
void for_each_block(const Layers& layers, const MatrixRef& x, Index columns,
                    const std::function<void(Index layer, Index begin, Index count)>& body) {
  const Index rows = layers.block_rows(), blocks = (x.rows() + rows - 1) / rows;
  const double products = static_cast<double>(x.size()) * static_cast<double>(columns * layers.count());
  for_each_index(layers.count() * blocks, products / 16, [&](Index i) {
    const Index begin = i % blocks * rows;
    body(i / blocks, begin, std::min(rows, x.rows() - begin));
  });
}

}  // namespace

void project(const MatrixRef& x, const Matrix& w, WeightLayout layout, const Matrix* bias, MatrixOut y,
             Workspace& workspace) {
  if (small_product(x.rows(), y.cols(), x.cols())) {
    project_small(x, w, layout, bias, y, workspace);
    return;
  }
  Layers layers(workspace);
  layers.add(w, layout, bias);
  for_each_block(layers, x, y.cols(), [&](Index layer, Index begin, Index count) {
    layers.apply(layer, x.middleRows(begin, count), y.middleRows(begin, count));
  });
}

void project(const Layer& layer, Parameter parameter, const MatrixRef& x, MatrixOut y, Workspace& workspace) {
  project(x, layer.weights.matrix(parameter), layer.weights.layout, bias_of(layer, parameter), y, workspace);
}

void project_blocks(const Layer& layer, const std::vector<Parameter>& parameters, const MatrixRef& x,
                    const TakeRows& take, Workspace& workspace) {
  const auto width = [&](Parameter parameter) { return parameter_width(layer, parameter); };
  const Index columns = width(parameters.front());
  if (small_product(x.rows(), columns, x.cols())) {
    for (const Parameter parameter : parameters)
      take(parameter, 0, projected(layer, parameter, x, workspace));
    return;
  }
  Layers layers(workspace);
  for (const Parameter parameter : parameters)
    layers.add(layer.weights.matrix(parameter), layer.weights.layout, bias_of(layer, parameter));
  for_each_block(layers, x, columns, [&](Index product, Index begin, Index count) {
    const Parameter parameter = parameters[static_cast<std::size_t>(product)];
    ScratchMatrix rows(workspace, count, width(parameter));
    layers.apply(product, x.middleRows(begin, count), *rows);
    take(parameter, begin, *rows);
  });
}

Matrix projected(const Layer& layer, Parameter parameter, const MatrixRef& x, Workspace& workspace) {
  Matrix y(x.rows(), parameter_width(layer, parameter));
  project(layer, parameter, x, y, workspace);
  return y;
}

}  // namespace headlight
