// Which cells of a matrix are masked and which are dropped, told by a few rules instead of cell by cell.
#pragma once

#include "engine/core/matrix.h"
#include "engine/views/query.h"

namespace headlight {

struct MarkRule {                   // by default no cell is marked
  bool causal = false;              // masked behind the column that has the row's own index
  const Matrix* allowed = nullptr;  // of the matrix' shape: masked where 0
  const Matrix* noise = nullptr;    // of the matrix' shape: dropped where 0 and not masked
};

inline CellMark mark_of(const MarkRule& rule, Index row, Index column) {
  if (rule.causal && column > row) return CellMark::Masked;
  if (rule.allowed && (*rule.allowed)(row, column) == 0.0f) return CellMark::Masked;
  return rule.noise && (*rule.noise)(row, column) == 0.0f ? CellMark::Dropped : CellMark::None;
}

// Whether both mark the same cells. Cost: a look at every cell where they are not of one model.
inline bool same_marks(const MarkRule& a, const MarkRule& b) {
  const auto same = [](const Matrix* left, const Matrix* right) {
    return left == right || (left && right && left->rows() == right->rows() &&
                             left->cols() == right->cols() && *left == *right);
  };
  return a.causal == b.causal && same(a.allowed, b.allowed) && same(a.noise, b.noise);
}

}  // namespace headlight
