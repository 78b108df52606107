#include "engine/kernels/kernels.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/loops/vector_loops.h"

namespace headlight {
namespace {

constexpr float kMinusInfinity = -std::numeric_limits<float>::infinity();

void softmax_row(Eigen::Ref<Eigen::RowVectorXf> row) {
  // Subtract the row maximum: exp overflows above 88.
  const float maximum = row_maximum(row);
  if (maximum == kMinusInfinity) {
    row.setZero();
    return;
  }
  exponentiate(row, maximum);
  divide_row_by_sum(row);
}

void naive_softmax_row(Eigen::Ref<Eigen::RowVectorXf> row) {
  if ((row.array() == kMinusInfinity).all()) {
    row.setZero();
    return;
  }
  exponentiate(row, 0.0f);
  divide_row_by_sum(row);
}

// Masked cells hold minus infinity; so does a score that fell below float32's numbers, which is a number of
// the sum like any other.
void sum_row(const Model& model, Index query, Eigen::Ref<Eigen::RowVectorXf> row) {
  bool any = false;
  for (Index key = 0; key < row.size(); ++key) {
    if (row(key) == kMinusInfinity && !model.may_attend(query, key))
      row(key) = 0.0f;
    else
      any = true;
  }
  if (any) divide_row_by_sum(row);
}

}  // namespace

float row_maximum(const Eigen::Ref<const Eigen::RowVectorXf>& row) {
  return row.maxCoeff<Eigen::PropagateNaN>();
}

// Not by Eigen's exp: that one holds its argument above -88.7, so that a masked cell would keep a weight of
// 1e-39, and it rounds a value differently at the end of a row.
void exponentiate(Eigen::Ref<Eigen::RowVectorXf> row, float subtracted) {
  best_vector_loops().exponentiate(row.data(), row.size(), subtracted, row.data());
}

void divide_row_by_sum(Eigen::Ref<Eigen::RowVectorXf> row) {
  row /= row.sum();
}

void score(const MatrixRef& q, const MatrixRef& k, MatrixOut scores) {
  multiply_transposed(q, k, scores);
}

void scale(const MatrixRef& scores, float factor, MatrixOut scaled) {
  scaled = scores * factor;
}

void apply_mask(const MatrixRef& scaled, const Model& model, Index first, MatrixOut masked) {
  masked = scaled;
  switch (model.attention.mask) {
    case MaskKind::None:
      return;
    case MaskKind::Causal:
      for (Index row = 0; row < masked.rows(); ++row)
        masked.row(row).tail(masked.cols() - first - row - 1).setConstant(kMinusInfinity);
      return;
    case MaskKind::Custom:
      masked =
          (model.custom_mask.middleRows(first, scaled.rows()).array() != 0.0f).select(scaled, kMinusInfinity);
      return;
  }
}

void normalize_rows(const MatrixRef& masked, const Model& model, Index first, MatrixOut weights) {
  weights = masked;
  for (Index row = 0; row < weights.rows(); ++row) {
    switch (model.attention.normalization) {
      case Normalization::Softmax:
        softmax_row(weights.row(row));
        break;
      case Normalization::NaiveSoftmax:
        naive_softmax_row(weights.row(row));
        break;
      case Normalization::Sum:
        sum_row(model, first + row, weights.row(row));
        break;
    }
  }
}

void drop(const MatrixRef& weights, const MatrixRef& noise, MatrixOut dropped) {
  dropped = weights.cwiseProduct(noise);
}

void head_part(const Matrix& concat, const Matrix* w, WeightLayout layout, Index head, Index d_k,
               Matrix& part) {
  const Index first = head * d_k;
  const auto columns = concat.middleCols(first, d_k);
  if (!w) {
    part = Matrix::Zero(concat.rows(), concat.cols());
    part.middleCols(first, d_k) = columns;
  } else if (layout == WeightLayout::InOut) {
    part.resize(concat.rows(), w->cols());
    multiply(columns, w->middleRows(first, d_k), part);
  } else {
    part.resize(concat.rows(), w->rows());
    multiply_transposed(columns, w->middleCols(first, d_k), part);
  }
}

void mix(const MatrixRef& dropped, const MatrixRef& v, bool causal, Index first, MatrixOut context) {
  // A weight of zero adds nothing, unless it meets what is not finite. And a row that was divided by zero or
  // NaN is not zero above the diagonal; it is not finite at its start either.
  if (!causal || !all_finite(v) || !all_finite(dropped.leftCols(1))) {
    multiply(dropped, v, context);
    return;
  }
  constexpr Index kRows = 120;
  for (Index row = 0; row < dropped.rows(); row += kRows) {
    const Index count = std::min(kRows, dropped.rows() - row), reach = first + row + count;
    multiply(dropped.block(row, 0, count, reach), v.topRows(reach), context.middleRows(row, count));
  }
}

}  // namespace headlight
