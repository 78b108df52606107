#include "engine/attention/kept_softmax.h"

#include <limits>

#include "engine/attention/kernels.h"

namespace headlight {

void KeptSoftmax::start(const Matrix& masked, Matrix& weights) {
  exponentials_.resize(masked.rows(), masked.cols());
  weights.resize(masked.rows(), masked.cols());
  maxima_.resize(masked.rows());
  for (Index row = 0; row < masked.rows(); ++row) {
    start_row(masked, row);
    finish_row(row, weights);
  }
}

void KeptSoftmax::start_row(const Matrix& masked, Index row) {
  maxima_(row) = row_maximum(masked.row(row));
  if (nothing_allowed(row)) {
    exponentials_.row(row).setZero();
    return;
  }
  exponentials_.row(row) = masked.row(row);
  exponentiate(exponentials_.row(row), maxima_(row));
}

bool KeptSoftmax::nothing_allowed(Index row) const {
  return maxima_(row) == -std::numeric_limits<float>::infinity();
}

void KeptSoftmax::finish_row(Index row, Matrix& weights) const {
  weights.row(row) = exponentials_.row(row);
  if (!nothing_allowed(row)) divide_row_by_sum(weights.row(row));
}

// Whether one of the columns was the row's maximum, or is above it now, or is NaN.
bool KeptSoftmax::may_move_maximum(const Matrix& masked, Index row, Index begin, Index end) const {
  for (Index column = begin; column < end; ++column)
    if (exponentials_(row, column) == 1.0f || !(masked(row, column) <= maxima_(row))) return true;
  return false;
}

void KeptSoftmax::update(const Matrix& masked, Index begin, Index end, Matrix& weights) {
  for (Index row = 0; row < masked.rows(); ++row) {
    const bool whole = row >= begin && row < end;
    // Not equal when it is NaN: the row is then made anew.
    if (whole ||
        (may_move_maximum(masked, row, begin, end) && row_maximum(masked.row(row)) != maxima_(row))) {
      start_row(masked, row);
      finish_row(row, weights);
      continue;
    }
    if (nothing_allowed(row)) continue;
    bool changed = false;
    for (Index column = begin; column < end; ++column) {
      float exponential = masked(row, column);
      exponentiate(Eigen::Map<Eigen::RowVectorXf>(&exponential, 1), maxima_(row));
      changed |= exponential != exponentials_(row, column);
      exponentials_(row, column) = exponential;
    }
    if (changed) finish_row(row, weights);
  }
}

}  // namespace headlight
