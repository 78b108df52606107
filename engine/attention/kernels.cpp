#include "engine/attention/kernels.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/core/product.h"

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

void sum_row(Eigen::Ref<Eigen::RowVectorXf> row) {
  bool any = false;
  for (float& value : row) {
    if (value == kMinusInfinity)
      value = 0.0f;
    else
      any = true;
  }
  if (any) divide_row_by_sum(row);
}

}  // namespace

float row_maximum(const Eigen::Ref<const Eigen::RowVectorXf>& row) {
  return row.maxCoeff<Eigen::PropagateNaN>();
}

// By std::exp, not by Eigen's: that one holds its argument above -88.7, so that a masked cell would keep a
// weight of 1e-39, and it rounds a value differently at the end of a row.
void exponentiate(Eigen::Ref<Eigen::RowVectorXf> row, float subtracted) {
  for (float& value : row)
    value = std::exp(value - subtracted);
}

void divide_row_by_sum(Eigen::Ref<Eigen::RowVectorXf> row) {
  row /= row.sum();
}

void score(const Matrix& q, const Matrix& k, Matrix& scores) {
  scores.resize(q.rows(), k.rows());
  multiply_transposed(q, k, scores);
}

void scale(const Matrix& scores, float factor, Matrix& scaled) {
  scaled = scores * factor;
}

void apply_mask(const Matrix& scaled, const Model& model, Matrix& masked) {
  masked = scaled;
  switch (model.attention.mask) {
    case MaskKind::None:
      return;
    case MaskKind::Causal:
      for (Index row = 0; row < masked.rows(); ++row)
        masked.row(row).tail(masked.cols() - row - 1).setConstant(kMinusInfinity);
      return;
    case MaskKind::Custom:
      masked = (model.custom_mask.array() != 0.0f).select(scaled, kMinusInfinity);
      return;
  }
}

void normalize_rows(const Matrix& masked, Normalization how, Matrix& weights) {
  weights = masked;
  for (Index row = 0; row < weights.rows(); ++row) {
    switch (how) {
      case Normalization::Softmax:
        softmax_row(weights.row(row));
        break;
      case Normalization::NaiveSoftmax:
        naive_softmax_row(weights.row(row));
        break;
      case Normalization::Sum:
        sum_row(weights.row(row));
        break;
    }
  }
}

void drop(const Matrix& weights, const Matrix& noise, Matrix& dropped) {
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

void mix(const Matrix& dropped, const Matrix& v, bool causal, Matrix& context) {
  context.resize(dropped.rows(), v.cols());
  // A weight of zero adds nothing, unless it meets what is not finite. And a row that was divided by zero or
  // NaN is not zero above the diagonal; it is not finite at its start either.
  if (!causal || !v.allFinite() || !dropped.col(0).allFinite()) {
    multiply(dropped, v, context);
    return;
  }
  constexpr Index kRows = 120;
  for (Index first = 0; first < dropped.rows(); first += kRows) {
    const Index count = std::min(kRows, dropped.rows() - first), reach = first + count;
    multiply(dropped.block(first, 0, count, reach), v.topRows(reach), context.middleRows(first, count));
  }
}

}  // namespace headlight
