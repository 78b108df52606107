// Softmax that keeps its exponentials: a change of a few columns then costs a few exponentials a row, and the
// result has the bits that starting anew would give.
#pragma once

#include "engine/core/matrix.h"

namespace headlight {

class KeptSoftmax {
 public:
  bool empty() const { return exponentials_.size() == 0; }
  void clear() { *this = {}; }

  // As normalize_rows with Normalization::Softmax. masked, weights: T x T.
  void start(const Matrix& masked, Matrix& weights);
  // The rows [begin, end) of `masked` have changed as a whole, all other rows in the columns [begin, end).
  // Precondition: `weights` is what the last call has left there.
  void update(const Matrix& masked, Index begin, Index end, Matrix& weights);

 private:
  void start_row(const Matrix& masked, Index row);
  bool nothing_allowed(Index row) const;
  bool may_move_maximum(const Matrix& masked, Index row, Index begin, Index end) const;
  void finish_row(Index row, Matrix& weights) const;

  Matrix exponentials_;     // exp(masked - row maximum)
  Eigen::VectorXf maxima_;  // by row
};

}  // namespace headlight
