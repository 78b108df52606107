// Row-wise access to a matrix that is stored, or that is computed a block of rows at a time while it is read
// and is never stored as a whole.
#pragma once

#include <algorithm>
#include <functional>
#include <utility>

#include "engine/core/matrix.h"

namespace headlight {

class RowSource {
 public:
  // Writes the rows from `first` on; the size of `rows` gives their number.
  using Make = std::function<void(Index first, MatrixOut rows)>;

  // The matrix must outlive the RowSource.
  RowSource(const Matrix& whole) : whole_(&whole), rows_(whole.rows()), columns_(whole.cols()) {}
  RowSource(Index rows, Index columns, Index block_rows, Make make)
      : rows_(rows), columns_(columns), block_rows_(block_rows), make_(std::move(make)) {}

  Index rows() const { return rows_; }
  Index cols() const { return columns_; }
  // A row; valid until the next call.
  const float* row(Index index) {
    if (whole_) return whole_->row(index).data();
    if (index < begin_ || index >= begin_ + block_.rows()) {
      begin_ = index / block_rows_ * block_rows_;
      block_.resize(std::min(block_rows_, rows_ - begin_), columns_);
      make_(begin_, block_);
    }
    return block_.row(index - begin_).data();
  }
  // The end of the rows that are contiguous in memory from row(index) on.
  Index together_until(Index index) const {
    return whole_ ? rows_ : std::min(rows_, (index / block_rows_ + 1) * block_rows_);
  }
  Matrix whole() const {
    if (whole_) return *whole_;
    Matrix all(rows_, columns_);
    for (Index first = 0; first < rows_; first += block_rows_)
      make_(first, all.middleRows(first, std::min(block_rows_, rows_ - first)));
    return all;
  }

 private:
  const Matrix* whole_ = nullptr;
  Index rows_ = 0, columns_ = 0, block_rows_ = 1, begin_ = 0;
  Make make_;
  Matrix block_;
};

}  // namespace headlight
