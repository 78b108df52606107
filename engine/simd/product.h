// Products of matrices at the processor's speed, float32. The sums are made in an order and with roundings
// that depend on the shapes and on the instructions: results agree with a plain loop to within float32's
// rounding, not to the last bit.
#pragma once

#include "engine/core/matrix.h"
#include "engine/simd/instruction_set.h"
#include "engine/simd/workspace.h"

namespace headlight {

// c = a b. a: m x k; b: k x n; c: m x n, which must not overlap the others. On the calling thread alone.
void multiply(const MatrixRef& a, const MatrixRef& b, MatrixOut c, Workspace& workspace);
// c = a b^T. b: n x k.
void multiply_transposed(const MatrixRef& a, const MatrixRef& b, MatrixOut c, Workspace& workspace);

// The right factor of a product.
struct RightFactor {
  const MatrixRef& matrix;
  bool transposed = false;
};

// A left factor, copied so that the innermost loop reads it in one piece: for many right factors, or strips
// of one.
class PackedRows {
 public:
  explicit PackedRows(Workspace& workspace, InstructionSet set = best_instruction_set())
      : set_(set), tiles_(workspace) {}
  // Another one, in the same memory where it is as large; on the calling thread alone, or on several where it
  // pays.
  enum class Threads { One, Several };
  void take(const MatrixRef& a, Threads threads);

 private:
  friend class PackedFactor;
  // So many rows from `row` on, a multiple of a tile's, of the steps from `begin` on, a multiple of a
  // block's.
  Index tile_at(Index row, Index begin) const;

  InstructionSet set_;
  Index depth_ = 0;
  Scratch tiles_;
};

// How many columns of a right factor are multiplied at once: parts of it are best as wide, or a multiple.
Index tile_columns(InstructionSet set = best_instruction_set());

// A right factor, copied so that the innermost loop reads it in one piece: for many left factors, or rows of
// one on several threads. Copying is spread over threads where it pays.
class PackedFactor {
 public:
  explicit PackedFactor(Workspace& workspace, InstructionSet set = best_instruction_set())
      : set_(set), panels_(workspace) {}
  // Another one, in the same memory where it is as large.
  void take(const RightFactor& b);
  // So many rows of a left factor are multiplied in one piece: what is done on several threads is best cut
  // into these.
  Index block_rows() const;
  // c = a b. On the calling thread alone.
  void multiply_by(const MatrixRef& a, MatrixOut c) const;
  void multiply_by(const PackedRows& a, MatrixOut c) const;

 private:
  InstructionSet set_;
  Index depth_ = 0, columns_ = 0;
  Scratch panels_;  // of tile_columns columns each, step by step, padded with zeros
};

// The same with one of instruction_sets(), by packed blocks however small the matrices are.
void multiply_by_blocks(InstructionSet set, const MatrixRef& a, const RightFactor& b, MatrixOut c,
                        Workspace& workspace);

// Whether copying the factors costs more than it gains.
bool small_product(Index rows, Index columns, Index depth);

}  // namespace headlight
