// Which cells of a matrix are masked and which are dropped, told by a few rules instead of cell by cell.
#pragma once

#include "engine/core/matrix.h"
#include "engine/model/open_keys.h"
#include "engine/model/overwriting.h"
#include "engine/views/query.h"

namespace headlight {

struct MarkRule {                 // by default no cell is marked
  OpenCells open;                 // masked where it holds no cell
  const Matrix* noise = nullptr;  // of the matrix' shape: dropped where 0 and not masked
  const Model* own = nullptr;  // whose numbers of this head's weights are overwritten: they are never masked
  Index sequence = 0, head = 0;
};

inline CellMark mark_of(const MarkRule& rule, Index row, Index column) {
  if (!rule.open.contains(row, column) &&
      !(rule.own && is_overwritten(*rule.own, {Stage::Weights, rule.sequence, rule.head, row, column})))
    return CellMark::Masked;
  return rule.noise && (*rule.noise)(row, column) == 0.0f ? CellMark::Dropped : CellMark::None;
}

// Whether both mark the same cells. Cost: a look at every cell where they are not of one model.
inline bool same_marks(const MarkRule& a, const MarkRule& b) {
  const auto same = [](const Matrix* left, const Matrix* right) {
    return left == right || (left && right && left->rows() == right->rows() &&
                             left->cols() == right->cols() && *left == *right);
  };
  return a.own == b.own && a.open.band == b.open.band && same(a.open.allowed, b.open.allowed) &&
         same(a.noise, b.noise);
}

}  // namespace headlight
