// Masked and dropped cells of a matrix, described by rules instead of one mark per cell.
#pragma once

#include "engine/core/matrix.h"
#include "engine/layer/open_keys.h"
#include "engine/layer/overwriting.h"
#include "engine/views/query.h"

namespace headlight {

struct MarkRule {                 // by default no cell is marked
  OpenCells open;                 // masked where it does not contain the cell
  const Matrix* noise = nullptr;  // of the matrix's shape: dropped where 0 and not masked
  const Layer* own = nullptr;     // if set: overwritten weights of this head are never masked
  Index sequence = 0, head = 0;
};

inline CellMark mark_of(const MarkRule& rule, Index row, Index column) {
  if (!rule.open.contains(row, column) &&
      !(rule.own && is_overwritten(*rule.own, {Stage::Weights, rule.sequence, rule.head, row, column})))
    return CellMark::Masked;
  return rule.noise && (*rule.noise)(row, column) == 0.0f ? CellMark::Dropped : CellMark::None;
}

// Whether both mark the same cells. Cost: one comparison per cell if they do not share their matrices.
inline bool same_marks(const MarkRule& a, const MarkRule& b) {
  const auto same = [](const Matrix* left, const Matrix* right) {
    return left == right || (left && right && left->rows() == right->rows() &&
                             left->cols() == right->cols() && *left == *right);
  };
  return a.own == b.own && a.open.band == b.open.band && same(a.open.allowed, b.open.allowed) &&
         same(a.noise, b.noise);
}

}  // namespace headlight
